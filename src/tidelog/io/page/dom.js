/* Elements. Law: what is shown is set as text, never parsed as markup, so that no value can become a part of the page.
 */
const SVG = "http://www.w3.org/2000/svg";

export const el = (id) => document.getElementById(id);

function dress(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
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
