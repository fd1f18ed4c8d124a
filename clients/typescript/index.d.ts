export { ServerError, type Change, type Options } from "./connection.js";
export { Tidelog } from "./operations.js";
