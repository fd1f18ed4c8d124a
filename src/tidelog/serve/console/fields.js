/* Fields whose text has characters that are not seen, or act on the others. Law: a field keeps its text as it is; what
   it says is shown beside it, escaped. */
import { html, visible } from "./dom.js";

export function noteHidden(field) {
  const beside = field.nextElementSibling,
    note = beside?.classList.contains("hidden-text") ? beside : null;
  if (visible(field.value) === field.value) note?.remove();
  else {
    const shown = html("small", { class: "hidden-text", role: "note" }, field.value);
    if (note) note.replaceWith(shown);
    else field.after(shown);
  }
}

export function watchFields() {
  document.addEventListener("input", ({ target }) => {
    if (target.matches("input:not([type=password]), textarea") && !target.closest(".editor")) noteHidden(target);
  });
}
