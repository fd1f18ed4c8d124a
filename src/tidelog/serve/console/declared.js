/* Relations that the next epoch declares, before it is committed. Law: what is read here only fills forms; the server
   reads the declarations themselves. */
import { draft } from "./draft.js";
import { live } from "./live.js";

const DECLARATION = /\.decl\s+([A-Za-z_?][\w?]*)\s*\(([^)]*)\)/g;
const BASE = ["number", "unsigned", "float", "symbol", "boolean", "date", "timestamp", "list"];

/* Whether a text adds more than a rule to the program. */
export const isDeclaration = (text) => /^\s*(\.[a-z]|materialize\s*\()/m.test(text);

export function declaredRelations() {
  const found = new Map();
  for (const { declaration } of draft.declared) {
    for (const [, name, inner] of declaration.matchAll(DECLARATION)) {
      const columns = inner
        .split(",")
        .map((column) => column.split(":").map((word) => word.trim()))
        .filter(([column]) => column)
        .map(([column, type]) => ({ name: column, type: BASE.includes(type) ? type : "any" }));
      if (!live.names.has(name)) found.set(name, { name, columns, base: true });
    }
  }
  return [...found.values()];
}

/* A relation of the program, or one that is declared in the draft. */
export const relationOf = (name) => live.names.get(name) || declaredRelations().find((each) => each.name === name);
