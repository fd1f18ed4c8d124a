/* Addresses inside the console: #/page/name?key=value. Law: an address contains everything that is needed to return. */
export function here() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [page = "", ...rest] = path.split("/").map(decodeURIComponent);
  return { page, name: rest.join("/"), params: Object.fromEntries(new URLSearchParams(query)) };
}

export function to(page, name = "", params = {}) {
  const given = Object.entries(params).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const query = new URLSearchParams(given).toString();
  return `#/${page}${name ? `/${encodeURIComponent(name)}` : ""}${query ? `?${query}` : ""}`;
}

export const toView = (name, params) => to("views", name, params);
export const toWhy = (fact, params = {}) => to("why", "", { fact, ...params });
export const toRelation = (name) => to("program", name);

/* Change the address without opening the page again. */
export function replace(address) {
  history.replaceState(null, "", address);
}
