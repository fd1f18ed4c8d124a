/* Graphs in SVG: layers, nodes that a pointer or a key chooses, edges. Law: where things stand is the caller's. */
import { make } from "./dom.js";

/* The layers of a drawing, one above the other in the order of their names. */
export function openGraph(map, width, height, names) {
  map.setAttribute("viewBox", `0 0 ${width} ${height}`);
  return Object.fromEntries(names.map((name) => [name, make("g", { class: name }, map)]));
}

/* A node at a place, to be filled by the caller; `choose` is called by a click, by Enter and by the space bar. */
export function drawNode(layer, { name, x, y, label }, choose) {
  const group = make(
    "g",
    {
      class: "node",
      tabindex: 0,
      role: "button",
      "aria-label": label,
      transform: `translate(${x} ${y})`,
      "data-node": name,
    },
    layer,
  );
  group.addEventListener("click", () => choose(name));
  group.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    choose(name);
  });
  return group;
}

export function drawLine(layer, [x1, y1], [x2, y2]) {
  return make("line", { class: "edge", x1, y1, x2, y2 }, layer);
}

/* A smooth curve through points whose ends leave and arrive along the axis of the layers. */
export function drawCurve(layer, points, { className, marker, down }) {
  let way = `M ${points[0].join(" ")}`;
  for (let i = 1; i < points.length; i++) {
    const [x1, y1] = points[i - 1],
      [x2, y2] = points[i];
    const bend = down ? [x1, (y1 + y2) / 2, x2, (y1 + y2) / 2] : [(x1 + x2) / 2, y1, (x1 + x2) / 2, y2];
    way += ` C ${bend[0]} ${bend[1]}, ${bend[2]} ${bend[3]}, ${x2} ${y2}`;
  }
  return make("path", { class: `edge ${className}`, d: way, "marker-end": marker ? `url(#${marker})` : null }, layer);
}

export function drawArrowHead(map, id, className) {
  const head = make(
    "marker",
    {
      id,
      class: className,
      viewBox: "0 0 8 8",
      refX: 7,
      refY: 4,
      markerWidth: 10,
      markerHeight: 10,
      markerUnits: "userSpaceOnUse",
      orient: "auto",
    },
    make("defs", {}, map),
  );
  make("path", { d: "M 0 0.5 L 7.5 4 L 0 7.5 z" }, head);
}
