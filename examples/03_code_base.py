"""Analysis of a real code base: which modules does an edit affect, where are import cycles, what is never used?

Usage: python 03_code_base.py [FOLDER]. FOLDER is a Python package, by default `tidelog` itself.
"""

import ast
import sys
from pathlib import Path

import tidelog
from tidelog import Engine

RULES = """
needs(M, N)    :- imports(M, N).
needs(M, O)    :- needs(M, N), imports(N, O).
cycle(M)       :- needs(M, M).
affects(N, count<*>) :- needs(_, N).
unused(M, F)   :- defines(M, F), !mentions(_, F).
retest(M)      :- edited(M).
retest(M)      :- edited(N), needs(M, N).
"""


def facts_of(folder):
    """What the modules of a package import, define and mention."""
    modules = {
        ".".join(path.relative_to(folder.parent).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted(folder.rglob("*.py"))
    }
    facts = {"imports": set(), "defines": set(), "mentions": set()}
    for module, path in modules.items():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and not node.decorator_list:
                facts["defines"].add((module, node.name))
            elif isinstance(node, ast.Name | ast.Attribute):
                facts["mentions"].add((module, node.id if isinstance(node, ast.Name) else node.attr))
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                names = [f"{node.module}.{alias.name}" for alias in node.names]
                facts["imports"] |= {(module, name if name in modules else node.module) for name in names}
                facts["mentions"] |= {(module, alias.name) for alias in node.names}
    facts["imports"] = {(m, n) for m, n in facts["imports"] if n in modules and m != n}
    return facts


def main():
    folder = Path(sys.argv[1]).resolve() if sys.argv[1:] else Path(tidelog.__file__).parent
    db = Engine(RULES)
    with db.epoch() as epoch:
        for relation, rows in facts_of(folder).items():
            epoch.insert(relation, rows)
    print(f"{len(db['imports']):,} imports make {len(db['needs']):,} pairs of modules in which one needs the other")
    print(f"modules in import cycles: {len(db['cycle'])}; functions never mentioned: {len(db['unused'])}")
    count, heaviest = max((count, module) for module, count in db["affects"])
    print(f"an edit of {heaviest} affects {count} modules")

    with db.epoch() as epoch:
        epoch.insert("edited", [(heaviest,)])
    print(f"test again after that edit: {len(epoch.changes['retest'].inserted)} modules")

    # The edit removes an import. Only the facts that depend on it are recomputed.
    importer = max(db.query(f'imports(M, "{heaviest}")'))[0]
    with db.epoch() as epoch:
        epoch.delete("imports", [(importer, heaviest)])
    print(f"without the import in {importer}: {epoch.changes}")


if __name__ == "__main__":
    main()
