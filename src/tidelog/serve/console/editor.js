/* A field for rules: plain text that is coloured while it is typed. Law: the text is that of the textarea; the coloured
   copy lies under it, sign by sign in the same place. */
import { html } from "./dom.js";
import { highlighted } from "./highlight.js";
import { live } from "./live.js";

export function openEditor({ label, placeholder, changed }) {
  const copy = html("pre", { "aria-hidden": "true" });
  const area = html("textarea", {
    "aria-label": label,
    placeholder,
    spellcheck: "false",
    autocomplete: "off",
    autocapitalize: "off",
    rows: 4,
  });
  let marks = [];
  const paint = () => {
    const parts = highlighted(area.value, { convention: live.program.convention, marks });
    copy.replaceChildren(html("span", {}, parts), "\n");
  };
  area.addEventListener("input", () => {
    marks = [];
    paint();
    changed(area.value);
  });
  area.addEventListener("scroll", () => {
    copy.scrollTop = area.scrollTop;
    copy.scrollLeft = area.scrollLeft;
  });
  paint();
  return {
    box: html("div", { class: "editor" }, copy, area),
    get value() {
      return area.value;
    },
    set(value) {
      area.value = value;
      marks = [];
      paint();
    },
    mark(found) {
      marks = found;
      paint();
    },
    focus: () => area.focus(),
  };
}
