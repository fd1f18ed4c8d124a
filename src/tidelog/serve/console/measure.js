/* Numbers beside each other as bars, each a share of the largest. */
import { html } from "./dom.js";

export function measure(share) {
  const bar = html("i", {});
  bar.style.width = `${100 * share}%`;
  return bar;
}

/* A table with a line for each [name, number, text of the number]. */
export function measures(lines) {
  const most = Math.max(Number.MIN_VALUE, ...lines.map(([, number]) => number));
  const line = ([name, number, told]) =>
    html(
      "tr",
      {},
      html("td", {}, name),
      html("td", { class: "measure" }, measure(number / most)),
      html("td", { class: "number" }, told),
    );
  return html("table", { class: "bars" }, html("tbody", {}, lines.map(line)));
}
