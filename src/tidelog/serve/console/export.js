/* Rows as files. Law: a file holds all rows of one epoch, as the server streams them; an export shows how far it is,
   and ends at once when it is cancelled or its page is left. */
import { bytes, count } from "./format.js";
import { html } from "./dom.js";

const PACK = 8 << 20; // bytes after which parts are put together, so that the browser can move them out of memory
const LINE_END = 10;

/* By name: the type that is asked for, the ending of the file, whether a row is a line, and what it is for. */
export const FORMATS = {
  CSV: ["text/csv", "csv", true, "CSV for Tidelog and other programs"],
  Spreadsheet: [
    "text/csv; formulas=escaped",
    "spreadsheet.csv",
    true,
    "CSV for spreadsheets: cells that look like formulas are escaped. Do not load it into Tidelog",
  ],
  JSON: ["application/x-ndjson", "jsonl", true, "JSON Lines: one object per row"],
  Arrow: ["application/vnd.apache.arrow.stream", "arrow", false, "Arrow IPC stream"],
};

/* Export in a box that shows the progress; returns a function that cancels it. */
export function startExport(box, source, format, failed) {
  const end = new AbortController(),
    bar = html("progress", { "aria-label": `Export as ${format}` }),
    told = html("span", { class: "soft", role: "status" }, "Preparing the export");
  const cancel = () => {
    end.abort();
    box.replaceChildren();
  };
  box.replaceChildren(bar, told, html("button", { type: "button", class: "small", onclick: cancel }, "Cancel"));
  save(source, format, end.signal, ({ rows, total, size }) => {
    if (total !== null) bar.max = Math.max(1, total);
    if (rows !== null) bar.value = rows;
    const done = rows === null ? "" : `${count(rows)} of ${count(total)} rows, `;
    told.textContent = `${format}: ${done}${bytes(size)}`;
  }).then(
    () => box.replaceChildren(),
    (error) => {
      if (error.name === "AbortError") return;
      box.replaceChildren();
      failed(error);
    },
  );
  return cancel;
}

async function save(source, format, signal, progress) {
  const [type, suffix, isLines] = FORMATS[format],
    response = await source.stream(type, signal);
  const header = response.headers.get("tidelog-total"),
    total = isLines && header !== null ? Number(header) : null;
  const file = await collected(response.body, type, ({ lines, size }) =>
    progress({ rows: total === null ? null : Math.min(lines, total), total, size }),
  );
  const address = URL.createObjectURL(file);
  const link = Object.assign(document.createElement("a"), { href: address, download: `${source.name}.${suffix}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

async function collected(body, type, progress) {
  const reader = body.getReader();
  let packed = [],
    parts = [],
    waiting = 0,
    size = 0,
    lines = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return new Blob([...packed, ...parts], { type });
    parts.push(value);
    size += value.length;
    waiting += value.length;
    for (let at = value.indexOf(LINE_END); at >= 0; at = value.indexOf(LINE_END, at + 1)) lines++;
    if (waiting > PACK) {
      packed.push(new Blob(parts));
      [parts, waiting] = [[], 0];
    }
    progress({ lines, size });
  }
}
