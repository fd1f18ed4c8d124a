export { ServerError } from "./connection.js";
export { Tidelog } from "./operations.js";
