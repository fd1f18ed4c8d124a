"""The answer of the Java analysis: a method runs, its statements move objects, until nothing moves any more.

Written after the virtual machine, not after the rules: classes are looked up by walking from the receiver upwards, and
all statements of all reachable methods are gone through again and again.
"""

from collections import defaultdict
from functools import cache

from .graphs import search, successors

OBJECT = "java.lang.Object"
PRIMITIVES = {"boolean", "byte", "char", "short", "int", "long", "float", "double"}
CLONE = f"<{OBJECT}: {OBJECT} clone()>"
COPY = "<java.lang.System: void arraycopy(java.lang.Object,int,java.lang.Object,int,int)>"
START = "<java.lang.Thread: void start0()>"
CONTROLLER = "java.security.AccessController"


class World:
    """Classes and methods, as the machine looks at them."""

    def __init__(self, facts):
        self.superclass, self.element = dict(facts["DirectSuperclass"]), dict(facts["ComponentType"])
        self.interfaces = successors(facts["DirectSuperinterface"])
        self.classes, self.declared = ({c for (c,) in facts[name]} for name in ("ClassType", "InterfaceType"))
        arrays = {c for (c,) in facts["ArrayType"]} | set(self.element)
        self.owner = {m: c for m, _, _, c, _, _, _ in facts["Method"]}
        self.signature = {m: (n, d) for m, n, _, _, _, d, _ in facts["Method"]}
        self.modifiers = successors([(m, word) for word, m in facts["Method_Modifier"]])
        self.body = {(c, n, d): m for m, n, _, c, _, d, _ in facts["Method"] if self.overridable(m)}
        above = [*facts["DirectSuperclass"], *facts["DirectSuperinterface"], *((c, OBJECT) for c in self.declared)]
        above += [(a, c) for a in arrays for c in (OBJECT, "java.lang.Cloneable", "java.io.Serializable")]
        self.above = successors(above)
        self.known = self.classes | self.declared | arrays | {d for _, d in above}
        self.is_a, self.runs = cache(self._is_a), cache(self._runs)

    def overridable(self, m):
        return not self.modifiers[m] & {"static", "private"} and self.signature[m][0] not in ("<init>", "<clinit>")

    def concrete(self, m):
        return m in self.owner and "abstract" not in self.modifiers[m]

    def _is_a(self, c, d):
        if c == d:
            return c in self.known or c in PRIMITIVES
        if c in self.element and d in self.element and self.element[c] in self.known:
            return self.is_a(self.element[c], self.element[d])
        return d in search(c, self.above)

    def _runs(self, c, n, d):
        """The methods that an object of a class may run; several only where interfaces quarrel."""
        at = OBJECT if c in self.element else c
        while at is not None and (at, n, d) not in self.body:
            at = self.superclass.get(at)
        if at is not None:
            return {m for m in [self.body[at, n, d]] if self.concrete(m)}
        offered = self.offered(c, n, d)
        return {m for m in offered if not any(k != m and self.is_a(self.owner[k], self.owner[m]) for k in offered)}

    def offered(self, c, n, d):
        """Bodies in interfaces, not looked for above a declaration."""
        if (c, n, d) in self.body:
            return {m for m in [self.body[c, n, d]] if c in self.declared and self.concrete(m)}
        parents = [*self.interfaces[c], *([self.superclass[c]] if c in self.superclass else [])]
        return set().union(*(self.offered(p, n, d) for p in parents))

    def helpers(self, c):
        """Interfaces that a class gets a body from, taken or not."""
        names = {self.signature[m] for m in self.owner if self.owner[m] in self.declared and self.overridable(m)}
        return {self.owner[m] for n, d in names for m in self.offered(c, n, d)}


class Run:
    """What is known so far; `settle` goes through everything until it is known."""

    def __init__(self, facts, with_more):
        self.facts, self.world, self.with_more = facts, World(facts), with_more
        self.kind = {
            **dict(facts["NormalHeap"]),
            **dict(facts["HeapAllocation_Type_Prefill"]),
            **{o: "java.lang.String" for (o,) in facts["StringConstant"]},
        }
        self.reachable, self.initialised, self.calls = set(), set(), set()
        self.held, self.inner, self.static, self.cells = (defaultdict(set) for _ in range(4))
        self.formals = {(i, m): v for i, m, v in facts["FormalParam"]}
        self.actuals = {(i, call): v for i, call, v in facts["ActualParam"]}
        self.this, self.result = dict(facts["ThisVar"]), dict(facts["AssignReturnValue"])
        self.returned = successors([(m, v) for _, _, v, m in facts["Return"]])
        self.fields = {f: c for f, c, _, _ in facts["Field"]}

    def settle(self):
        size = -1
        while size != self.size():
            size = self.size()
            self.enter()
            self.move()
            self.call()
        return self

    def size(self):
        sets = [self.reachable, self.initialised, self.calls]
        return sum(map(len, sets)) + sum(
            len(s) for d in (self.held, self.inner, self.static, self.cells) for s in d.values()
        )

    def live(self, name, place=-1):
        return [row for row in self.facts[name] if row[place] in self.reachable]

    def enter(self):
        for (c,) in self.facts["MainClass"]:
            self.initialise(c)
            for m, (n, d) in self.world.signature.items():
                if (self.world.owner[m], n, d) == (
                    c,
                    "main",
                    "([Ljava/lang/String;)V",
                ) and "static" in self.world.modifiers[m]:
                    self.reachable.add(m)
                    if (0, m) in self.formals:
                        self.held[self.formals[0, m]] |= {o for (o,) in self.facts["MainMethodArgArray"]}
        for (a,) in self.facts["MainMethodArgArray"]:
            self.cells[a] |= {o for (o,) in self.facts["MainMethodArgArrayContent"]}

    def initialise(self, c):
        if c in self.initialised:
            return
        self.initialised.add(c)
        self.reachable |= {
            m for m, (n, _) in self.world.signature.items() if n == "<clinit>" and self.world.owner[m] == c
        }
        if c in self.world.superclass:
            self.initialise(self.world.superclass[c])
        for i in self.world.helpers(c) if c in self.world.classes else ():
            self.initialise(i)

    def move(self):
        normal = dict(self.facts["NormalHeap"])
        for _, _, o, to, _, _ in self.live("AssignHeapAllocation", 4):
            self.held[to].add(o)
            if normal.get(o) in self.world.classes:
                self.initialise(normal[o])
        for _, _, source, to, _ in self.live("AssignLocal"):
            self.held[to] |= self.held[source]
        for _, _, source, to, c, _ in self.live("AssignCast"):
            self.held[to] |= {o for o in self.held[source] if self.world.is_a(self.kind[o], c)}
        for _, _, to, base, f, _ in self.live("LoadInstanceField"):
            self.held[to] |= self.all(self.inner[o, f] for o in self.held[base])
        for _, _, source, base, f, _ in self.live("StoreInstanceField"):
            for o in self.held[base]:
                self.inner[o, f] |= self.held[source]
        for _, _, to, f, _ in self.live("LoadStaticField"):
            self.initialise(self.fields[f])
            self.held[to] |= self.static[f]
        for _, _, source, f, _ in self.live("StoreStaticField"):
            self.initialise(self.fields[f])
            self.static[f] |= self.held[source]
        for _, _, to, base, _ in self.live("LoadArrayIndex"):
            self.held[to] |= self.all(self.cells[a] for a in self.held[base])
        for _, _, source, base, _ in self.live("StoreArrayIndex"):
            self.fill(base, self.held[source])

    def all(self, sets):
        return set().union(*sets)

    def fill(self, base, objects):
        for a in self.held[base]:
            element = self.world.element.get(self.kind[a])
            if element in self.world.known:
                self.cells[a] |= {o for o in objects if self.world.is_a(self.kind[o], element)}

    def call(self):
        world = self.world
        for call, _, m, _ in self.live("StaticMethodInvocation"):
            self.initialise(world.owner[m])
            if "static" in world.modifiers[m]:
                self.bind(call, m)
            if self.with_more and (world.owner[m], world.signature[m][0]) == (CONTROLLER, "doPrivileged"):
                self.dispatch(call, self.actuals[0, call], "run", "()Ljava/lang/Object;")
        for call, _, m, base, _ in self.live("SpecialMethodInvocation"):
            if world.concrete(m):
                self.send(call, base, m)
            self.clone(call, base)
        for call, _, m, base, _ in self.live("VirtualMethodInvocation"):
            if world.overridable(m):
                self.dispatch(call, base, *world.signature[m])
            elif "private" in world.modifiers[m] and world.concrete(m):
                self.send(call, base, m)
            self.clone(call, base)

    def dispatch(self, call, base, n, d):
        for o in list(self.held[base]):
            for m in self.world.runs(self.kind[o], n, d):
                self.bind(call, m)
                self.receive(m, o)

    def send(self, call, base, m):
        for o in list(self.held[base]):
            self.bind(call, m)
            self.receive(m, o)

    def clone(self, call, base):
        if (call, CLONE) in self.calls and call in self.result:
            self.held[self.result[call]] |= self.held[base]

    def receive(self, m, o):
        if m in self.this:
            self.held[self.this[m]].add(o)
        if m == START:
            for run in self.world.runs(self.kind[o], "run", "()V"):
                self.reachable.add(run)
                self.receive(run, o)

    def bind(self, call, m):
        self.calls.add((call, m))
        self.reachable.add(m)
        for (i, k), to in self.formals.items():
            if k == m and (i, call) in self.actuals:
                self.held[to] |= self.held[self.actuals[i, call]]
        if call in self.result:
            self.held[self.result[call]] |= self.all(self.held[v] for v in self.returned[m])
        if self.with_more and m == COPY and {(0, call), (2, call)} <= set(self.actuals):
            self.fill(self.actuals[2, call], self.all(self.cells[a] for a in self.held[self.actuals[0, call]]))


def java(facts, after):
    """The script adds rules for `arraycopy` and `doPrivileged`: they do nothing before."""
    run = Run(facts, after).settle()
    world, application = run.world, {c for (c,) in facts["ApplicationClass"]}
    own = {m for m, c in world.owner.items() if c in application}
    virtual = {row[0] for row in run.live("VirtualMethodInvocation") if row[-1] in own}
    inside = {row[0]: row[-1] for kind in ("Static", "Special", "Virtual") for row in facts[f"{kind}MethodInvocation"]}
    calls = {(inside[i], m) for i, m in run.calls if inside[i] in own}
    within = successors([(m, k) for m, k in calls if k in own])
    targets = successors(run.calls)
    created = {run.kind[o] for _, _, o, _, _, _ in run.live("AssignHeapAllocation", 4)}
    home = dict(facts["Var_DeclaringMethod"])
    read = {row[4] for row in run.live("LoadInstanceField")} | {row[3] for row in run.live("LoadStaticField")}
    written = {row[4] for row in run.live("StoreInstanceField")} | {row[3] for row in run.live("StoreStaticField")}
    of_application = {f for f, c in run.fields.items() if c in application}
    named = {c for _, c in facts["Var_Type"]} | {c for _, _, _, c in facts["Field"]}
    owners = set(world.owner.values())
    return {
        "reachable": {(m,) for m in run.reachable},
        "initialised": {(c,) for c in run.initialised},
        "runs": run.calls,
        "points_to": {(v, o) for v, objects in run.held.items() for o in objects},
        "field_points_to": {(o, f, p) for (o, f), objects in run.inner.items() for p in objects},
        "static_points_to": {(f, o) for f, objects in run.static.items() for o in objects},
        "element_points_to": {(a, o) for a, objects in run.cells.items() for o in objects},
        "calls": calls,
        "recursive": {(m,) for m in own if m in search(m, within)},
        "dead": {(m,) for m in own if world.concrete(m) and m not in run.reachable},
        "idle": {(c,) for c in application & world.classes if c not in created},
        "single": {(i, m) for i in virtual if len(targets[i]) == 1 for m in targets[i]},
        "silent": {(i,) for i in virtual if not targets[i]},
        "unsafe_cast": {
            (to, c, o)
            for _, _, source, to, c, _ in run.live("AssignCast")
            for o in run.held[source]
            if home[to] in own and not world.is_a(run.kind[o], c)
        },
        "write_only": {(f,) for f in (written - read) & of_application},
        "never_set": {(f,) for f in (read - written) & of_application},
        "class_of": {(v, run.kind[o]) for v, objects in run.held.items() if home[v] in own for o in objects},
        "unknown": {(c,) for c in (named - world.known - PRIMITIVES) | (owners - world.known)},
    }
