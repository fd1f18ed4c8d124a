/* Rows as files. Law: a file holds all rows of one epoch, not only those of the page. */
import { stringify } from "./api.js";
import { shown } from "./format.js";

const SOME = 10000;

async function everything(source) {
  let page = await source.read("", SOME);
  const rows = [...page.rows];
  while (page.next) {
    page = await source.read(page.next, SOME);
    rows.push(...page.rows);
  }
  return { ...page, rows };
}

const quoted = (value) => {
  const text = shown(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const csv = ({ columns, rows }) => [columns, ...rows].map((row) => row.map(quoted).join(",")).join("\n");
const json = ({ epoch, columns, rows }) => stringify({ epoch, columns, rows });

export const FORMATS = {
  CSV: ["csv", async (source) => new Blob([csv(await everything(source)), "\n"], { type: "text/csv" })],
  JSON: ["json", async (source) => new Blob([json(await everything(source))], { type: "application/json" })],
  Arrow: ["arrow", (source) => source.arrow()],
};

export async function save(source, format) {
  const [suffix, make] = FORMATS[format],
    address = URL.createObjectURL(await make(source));
  const link = Object.assign(document.createElement("a"), { href: address, download: `${source.name}.${suffix}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
