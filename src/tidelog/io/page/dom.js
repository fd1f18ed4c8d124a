/* Elements. Law: what is shown is set as text, never parsed as markup, so that no value can become a part of the page;
   and no character of it acts on the text around it: marks of direction and control characters are shown escaped. */
const SVG = "http://www.w3.org/2000/svg";

export const el = (id) => document.getElementById(id);

/* What would act on the text around it, or is not seen: control characters (but for line breaks and tabs, which layouts
   need), marks of direction, and joiners beside Latin letters, where they join nothing. */
const ACTING = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u.source,
  JOINER = /(?<![^\0-\u024f])[\u200c\u200d]|[\u200c\u200d](?![^\0-\u024f])/u.source;
const HIDDEN = new RegExp(`${ACTING}|${JOINER}`, "gu");
const SEEN = ["title", "aria-label", "placeholder"];

/* A character as programs write it: \u202e. */
function escaped(character) {
  const point = character.codePointAt(0);
  return point > 0xffff ? `\\U${point.toString(16).padStart(8, "0")}` : `\\u${point.toString(16).padStart(4, "0")}`;
}

/* The text with every character escaped that would act instead of being shown. */
export const visible = (text) => String(text).replace(HIDDEN, escaped);

/* The same as nodes: what is escaped is marked, so that it differs from a text that reads so. */
function shownText(text) {
  const parts = [];
  let at = 0;
  for (const match of text.matchAll(HIDDEN)) {
    const span = document.createElement("span");
    span.className = "escape";
    span.textContent = escaped(match[0]);
    parts.push(text.slice(at, match.index), span);
    at = match.index + match[0].length;
  }
  return [...parts, text.slice(at)];
}

function shownChild(node, child) {
  if (child instanceof Node) return [child];
  const text = String(child);
  return node.namespaceURI === SVG || node.tagName === "OPTION" ? [visible(text)] : shownText(text);
}

function dress(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (SEEN.includes(key)) node.setAttribute(key, visible(value));
    else node.setAttribute(key, value === true ? "" : value);
  }
  const given = children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
  node.append(...given.flatMap((child) => shownChild(node, child)));
  return node;
}

/* An element with attributes (a name that begins with "on" is a listener) and children; null and false are left out. */
export const html = (tag, attributes = {}, ...children) => dress(document.createElement(tag), attributes, children);

export const svg = (tag, attributes = {}, ...children) =>
  dress(document.createElementNS(SVG, tag), attributes, children);

export function make(tag, attributes, parent) {
  return parent.appendChild(svg(tag, attributes));
}

export function text(tag, className, content, parent) {
  return parent.appendChild(html(tag, { class: className || null }, String(content)));
}
