/* The page that asks for the token. Law: a token is kept for this tab alone and tried before anything is shown. */
import { token } from "./api.js";
import { html } from "./dom.js";
import { icon } from "./icons.js";

export function showLogin(main, start, told) {
  const field = html("input", {
    id: "token",
    type: "password",
    autocomplete: "off",
    spellcheck: "false",
    required: true,
    "aria-describedby": "token-hint",
  });
  const sign = (event) => {
    event.preventDefault();
    if (!field.value.trim()) return;
    token.set(field.value.trim());
    start();
  };
  main.className = "login";
  main.replaceChildren(
    html(
      "form",
      { class: "card", onsubmit: sign },
      html("h1", {}, icon("wave"), "Tidelog"),
      html(
        "p",
        { class: "soft", id: "token-hint" },
        "The server requires a token. ",
        html("code", {}, "tidelog serve"),
        " wrote it to a file at its first start and printed the path.",
      ),
      html("label", { for: "token" }, "Token"),
      field,
      html("p", { class: "told", role: "alert" }, told || ""),
      html("button", { class: "primary", type: "submit" }, "Sign in"),
      html("p", { class: "soft small" }, "The token is kept in this tab until you close the tab or sign out."),
    ),
  );
  field.focus();
}
