/* A plot of one number over time. Law: the size never changes, the axis begins at zero, and a gap in the samples is a
   gap in the line. */
import { html, svg } from "./dom.js";

const WIDTH = 300,
  HEIGHT = 72,
  FOOT = 2;

export function openPlot(title, describe, unit = 1) {
  const value = html("dd", {}, "–"),
    detail = html("span", { class: "detail soft" }, "\u00a0"),
    most = html("span", { class: "most soft" }, "");
  const area = svg("path", { class: "area" }),
    line = svg("path", { class: "line" });
  const drawing = svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": title },
    area,
    line,
  );
  const box = html(
    "div",
    { class: "card plot", "data-plot": title },
    html("dl", {}, html("dt", {}, title), value),
    detail,
    html("div", { class: "canvas" }, drawing, most),
  );

  /* `points` are [time, number or null] in order; the span is the time that the width represents. */
  function show(points, span, told, more = "") {
    value.textContent = told;
    detail.textContent = more || "\u00a0";
    const known = points.filter(([, number]) => number !== null);
    const end = points.length ? points.at(-1)[0] : 0,
      top = unit * nice(Math.max(0, ...known.map(([, number]) => number)) / unit);
    const place = ([time, number]) =>
      [WIDTH - ((end - time) / span) * WIDTH, HEIGHT - FOOT - (number / top) * (HEIGHT - 3 * FOOT)].map((n) =>
        n.toFixed(1),
      );
    const runs = [];
    for (const point of points) {
      if (point[1] === null) runs.push([]);
      else (runs.at(-1) || runs[runs.push([]) - 1]).push(place(point));
    }
    const drawn = runs.filter((run) => run.length);
    line.setAttribute("d", drawn.map((run) => `M ${run.map((p) => p.join(" ")).join(" L ")}`).join(" "));
    area.setAttribute(
      "d",
      drawn
        .map(
          (run) =>
            `M ${run[0][0]} ${HEIGHT} L ${run.map((p) => p.join(" ")).join(" L ")} L ${run.at(-1)[0]} ${HEIGHT} Z`,
        )
        .join(" "),
    );
    most.textContent = known.length ? describe(top) : "";
    drawing.setAttribute("aria-label", `${title}: ${told}`);
  }
  return { box, show };
}

/* The next number of 1, 2, 5 times a power of ten. */
function nice(number) {
  if (number <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(number));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= number);
}
