/* Where the rows of a table come from: a view, with filters and at an epoch, or a question.
   Law: the place of a page is `EPOCH.FIRST`; all pages of an answer are of one epoch. */
import { ApiError, call, request } from "./api.js";

export const LIMIT = 100;

export function viewSource(name, at, filters) {
  const path = `/views/${encodeURIComponent(name)}`,
    params = { ...filters, at };
  return {
    name,
    at,
    live: at === null,
    read: (after, limit = LIMIT) => call(path, { params: { ...params, limit, after } }),
    stream: (type, signal) => request(path, { params, headers: { Accept: type }, signal }),
  };
}

/* The facts of a view that are neither true nor false. */
export function undefinedSource(name, at) {
  const path = `/undefined/${encodeURIComponent(name)}`;
  return {
    name: `${name}.undefined`,
    at,
    live: at === null,
    read: (after, limit = LIMIT) => call(path, { params: { at, limit, after } }),
    stream: (type, signal) => request(path, { params: { at }, headers: { Accept: type }, signal }),
  };
}

export function questionSource(text, at) {
  return {
    name: "answer",
    at,
    live: at === null,
    read: (after, limit = LIMIT) => call("/query", { body: clean({ text, limit, after, at }) }),
    stream: (type, signal) => request("/query", { body: clean({ text, at }), headers: { Accept: type }, signal }),
  };
}

const clean = (body) => Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null && value !== ""));

/* The page that begins after `first` rows, at the newest epoch if `epoch` is gone. */
export async function readPage(source, first, epoch) {
  if (!first) return source.read("");
  try {
    return await source.read(`${epoch}.${first}`);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 410 || !source.live) throw error;
    return source.read(`${(await source.read("", 1)).epoch}.${first}`);
  }
}
