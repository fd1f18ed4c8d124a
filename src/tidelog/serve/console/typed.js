/* Values out of what was typed. Law: what a column's type cannot hold is refused here in words, not sent. */
const WHOLE = /^[+-]?\d+$/;
const big = (text) => {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
};

export function readValue(text, type) {
  const plain = text.trim();
  if (type === "number" || type === "unsigned") {
    if (!WHOLE.test(plain)) throw new Error(`${plain || "nothing"} is not a ${type}`);
    return big(plain);
  }
  if (type === "float") return readFloat(plain);
  if (type === "boolean" && /^(true|false|0|1)$/.test(plain)) return plain === "true" || plain === "1";
  if (type === "list" || plain.startsWith("[")) return readList(plain);
  if (type === "any") return WHOLE.test(plain) ? big(plain) : unquoted(text);
  return unquoted(text);
}

function readFloat(plain) {
  if (["Infinity", "-Infinity", "NaN"].includes(plain)) return plain;
  if (!plain || Number.isNaN(Number(plain))) throw new Error(`${plain || "nothing"} is not a float`);
  return Number(plain);
}

function readList(plain) {
  try {
    return JSON.parse(plain);
  } catch {
    throw new Error(`${plain} is not a list; write it as JSON: [1, "a"]`);
  }
}

function unquoted(text) {
  const plain = text.trim();
  if (plain.length > 1 && plain.startsWith('"') && plain.endsWith('"')) {
    try {
      return JSON.parse(plain);
    } catch {
      return plain.slice(1, -1);
    }
  }
  return text;
}

/* Lines of values, separated by tabs or commas; quotes keep a comma together. */
export function readLines(text, columns) {
  return text
    .split("\n")
    .filter((line) => line.trim())
    .map((line, i) => {
      const cells = line.includes("\t")
        ? line.split("\t")
        : line.match(/\s*("(?:[^"\\]|\\.)*"|\[[^\]]*\]|[^,]*)\s*(?:,|$)/g).map((cell) => cell.replace(/,\s*$/, ""));
      while (cells.length > columns.length && cells.at(-1) === "") cells.pop();
      if (cells.length !== columns.length)
        throw new Error(`line ${i + 1} has ${cells.length} values, but there are ${columns.length} columns`);
      return cells.map((cell, j) => readValue(cell.trim(), columns[j].type));
    });
}
