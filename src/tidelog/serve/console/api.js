/* Requests to the server. Law: the token lives in sessionStorage and travels in a header, never in an address; integers
   beyond 2^53 arrive and leave digit by digit; a failure is an ApiError with the server's own words. */
const KEY = "tidelog token";
const BASE = new URL("v1", document.baseURI).href;

export const token = {
  get: () => sessionStorage.getItem(KEY) || "",
  set: (value) => sessionStorage.setItem(KEY, value),
  clear: () => sessionStorage.removeItem(KEY),
};

export class ApiError extends Error {
  constructor(status, told = {}) {
    super(told.message || `the server answered ${status}`);
    this.status = status;
    this.code = told.code || "";
    this.notes = told.notes || [];
    this.hint = told.hint || "";
    this.where = told.where || null;
    this.diagnostics = told.diagnostics || [];
    this.violations = told.violations || [];
    this.causes = told.causes || [];
  }
}

/* Law: if the browser provides the digits of a number, an integer that does not fit a double becomes a BigInt. */
function exact(_, value, context) {
  if (typeof value !== "number" || Number.isSafeInteger(value) || !context) return value;
  return /^-?\d+$/.test(context.source) ? BigInt(context.source) : value;
}
export const parse = (body) => JSON.parse(body, exact);

function raw(_, value) {
  return typeof value === "bigint" ? JSON.rawJSON(String(value)) : value;
}
export const stringify = (value) => JSON.stringify(value, raw);

export function address(path, params = {}) {
  const found = new URL(BASE + path);
  for (const [key, value] of Object.entries(params)) {
    if (value !== null && value !== undefined && value !== "") found.searchParams.append(key, value);
  }
  return found;
}

async function failure(response) {
  let told = {};
  try {
    told = parse(await response.text()).error || {};
  } catch {
    /* not ours: the status says it */
  }
  if (response.status === 401) document.dispatchEvent(new CustomEvent("signed-out"));
  return new ApiError(response.status, told);
}

/* The response of a request; throws an ApiError, with status 0 where no server answered. */
export async function request(path, { params, body, method, headers = {}, signal } = {}) {
  const options = { method: method || (body === undefined ? "GET" : "POST"), headers: { ...headers }, signal };
  options.headers.Authorization = `Bearer ${token.get()}`;
  options.cache = "no-store";
  if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = stringify(body);
  }
  let response;
  try {
    response = await fetch(address(path, params), options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, { message: "the server does not respond" });
  }
  if (!response.ok) throw await failure(response);
  return response;
}

export async function call(path, options) {
  return parse(await (await request(path, options)).text());
}
