/* Small signs, drawn with strokes in the colour of the text. */
import { svg } from "./dom.js";

const SHAPES = {
  program: "M5 4h5v5H5zM14 15h5v5h-5zM14 4h5v5h-5zM10 6.5h4M16.5 9v6M7.5 9v8.5H14",
  views: "M4 5h16v14H4zM4 10h16M4 14.5h16M10 10v9",
  why: "M9.2 9a3 3 0 1 1 4.3 2.9c-1 .6-1.5 1.2-1.5 2.4M12 17.6v.1M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18",
  change: "M4 20h4L19.5 8.5l-4-4L4 16zM13 7l4 4",
  running: "M3 12h4l3-7 4 14 3-7h4",
  wave: "M3 10c3 0 3-3 6-3s3 3 6 3 3-3 6-3M3 17c3 0 3-3 6-3s3 3 6 3 3-3 6-3",
  alert: "M12 4 2.8 20h18.4zM12 10v4.5M12 17.3v.1",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5",
  auto: "M4 5h16v11H4zM9 20h6M12 16v4",
  keys: "M3 6h18v12H3zM7 10h.1M12 10h.1M17 10h.1M8 14h8",
  leave: "M14 4H5v16h9M10 12h11M17.5 8.5 21 12l-3.5 3.5",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  close: "M6 6l12 12M18 6 6 18",
  check: "M5 12.5l4.5 4.5L19 7.5",
  open: "M9 6l6 6-6 6",
  fit: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  download: "M12 4v11M7.5 11 12 15.5 16.5 11M4 20h16",
  clock: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M12 7.5V12l3 2",
  back: "M15 6l-6 6 6 6",
  edit: "M4 20h4L19.5 8.5l-4-4L4 16z",
};

export function icon(name) {
  return svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: SHAPES[name] }));
}
