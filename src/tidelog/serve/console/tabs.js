/* A row of choices of which one is taken. */
import { html } from "./dom.js";

export function tabs(names, first, show) {
  const buttons = names.map((name) =>
    html(
      "button",
      {
        type: "button",
        role: "tab",
        "aria-selected": String(name === first),
        "data-tab": name,
        tabindex: name === first ? 0 : -1,
        onclick: () => take(name),
      },
      name,
    ),
  );
  const take = (name) => {
    for (const button of buttons) {
      button.setAttribute("aria-selected", String(button.dataset.tab === name));
      button.tabIndex = button.dataset.tab === name ? 0 : -1;
    }
    show(name);
  };
  const walk = (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key],
      at = buttons.indexOf(event.target);
    const next = step && buttons[at + step];
    if (next) {
      event.preventDefault();
      next.focus();
      take(next.dataset.tab);
    }
  };
  return html("div", { class: "tabs", role: "tablist", onkeydown: walk }, buttons);
}
