/* Numbers, times and values in words. Law: a value is shown as the language writes it, so that it can be queried
   again. */
const COUNT = new Intl.NumberFormat("en-US");
const CLOCK = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

export const count = (number) => (typeof number === "bigint" ? String(number) : COUNT.format(number));
export const plural = (number, thing) => `${count(number)} ${thing}${number === 1 ? "" : "s"}`;

/* A count in at most five signs: 1,234 12.3k 4.5M. */
export function short(number) {
  for (const [size, mark] of [
    [1e9, "G"],
    [1e6, "M"],
    [1e4, "k"],
  ]) {
    if (Math.abs(number) >= size) {
      const scaled = number / (mark === "k" ? 1e3 : size);
      return `${scaled.toFixed(Math.abs(scaled) >= 100 ? 0 : 1)}${mark}`;
    }
  }
  return Number.isInteger(number) ? COUNT.format(number) : Number(number.toPrecision(3)).toString();
}

const three = (number) => (number >= 100 ? String(Math.round(number)) : String(Number(number.toPrecision(3))));

export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 0.001) return `${(seconds * 1e6).toFixed(0)} µs`;
  if (seconds < 1) return `${three(seconds * 1e3)} ms`;
  return seconds < 120 ? `${three(seconds)} s` : `${(seconds / 60).toFixed(1)} min`;
}

export function bytes(number) {
  for (const [size, mark] of [
    [2 ** 30, "GiB"],
    [2 ** 20, "MiB"],
    [2 ** 10, "KiB"],
  ]) {
    if (number >= size) return `${three(number / size)} ${mark}`;
  }
  return `${number} B`;
}

/* Rows for one entry of a step: 0.031, 1.5, 12,346. */
export function ratio(number) {
  if (number >= 100) return COUNT.format(Math.round(number));
  return Number(number.toPrecision(number < 10 ? 2 : 3)).toString();
}

const moment = (when) => new Date(typeof when === "number" ? when * 1000 : when);
export const clock = (when) => (when === null || when === undefined ? "–" : CLOCK.format(moment(when)));

/* A value in a cell of a table; line breaks and tabs as programs write them. */
const BREAKS = { "\n": "\\n", "\t": "\\t" };
export const shown = (value) =>
  Array.isArray(value) ? `[${value.map(shown).join(", ")}]` : String(value).replace(/[\n\t]/g, (sign) => BREAKS[sign]);

/* A value in the text of a fact. */
function written(value, type) {
  if (Array.isArray(value)) return `[${value.map((part) => written(part, null)).join(", ")}]`;
  if (typeof value === "string" && type !== "date" && type !== "timestamp") return JSON.stringify(value);
  if (typeof value === "number" && type === "float" && Number.isInteger(value)) return value.toFixed(1);
  return String(value);
}

export function factText(name, row, types = []) {
  return `${name}(${row.map((value, i) => written(value, types[i])).join(", ")})`;
}
