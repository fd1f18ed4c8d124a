// Generated from the OpenAPI document of the server by scripts/typescript_client.py.
import { Connection } from "./connection.js";

export class Tidelog extends Connection {
  getMetrics(options) {
    return this.call("GET", "/metrics", { ...options });
  }

  getServer(options) {
    return this.call("GET", "/v1", { ...options });
  }

  getProgram(options) {
    return this.call("GET", "/v1/program", { ...options });
  }

  postCheck(body, options) {
    return this.call("POST", "/v1/check", { body, ...options });
  }

  getStatistics(options) {
    return this.call("GET", "/v1/statistics", { ...options });
  }

  getSources(options) {
    return this.call("GET", "/v1/sources", { ...options });
  }

  postCheckFacts(body, options) {
    return this.call("POST", "/v1/check-facts", { body, ...options });
  }

  getViewsName(name, query, options) {
    return this.call("GET", `/v1/views/${encodeURIComponent(name)}`, { query, ...options });
  }

  getUndefinedName(name, query, options) {
    return this.call("GET", `/v1/undefined/${encodeURIComponent(name)}`, { query, ...options });
  }

  postQuery(body, options) {
    return this.call("POST", "/v1/query", { body, ...options });
  }

  postEpochs(body, options) {
    return this.call("POST", "/v1/epochs", { body, ...options });
  }

  getEpochs(query, options) {
    return this.call("GET", "/v1/epochs", { query, ...options });
  }

  postRevert(body, options) {
    return this.call("POST", "/v1/revert", { body, ...options });
  }

  postEpochsOpen(body, options) {
    return this.call("POST", "/v1/epochs/open", { body, ...options });
  }

  postEpochsOpenId(id, body, options) {
    return this.call("POST", `/v1/epochs/open/${encodeURIComponent(id)}`, { body, ...options });
  }

  deleteEpochsOpenId(id, options) {
    return this.call("DELETE", `/v1/epochs/open/${encodeURIComponent(id)}`, { ...options });
  }

  postEpochsOpenIdCommit(id, body, options) {
    return this.call("POST", `/v1/epochs/open/${encodeURIComponent(id)}/commit`, { body, ...options });
  }

  postRelationsNameInsert(name, body, query, options) {
    return this.call("POST", `/v1/relations/${encodeURIComponent(name)}/insert`, { body, query, ...options });
  }

  postRelationsNameDelete(name, body, query, options) {
    return this.call("POST", `/v1/relations/${encodeURIComponent(name)}/delete`, { body, query, ...options });
  }

  postApply(body, options) {
    return this.call("POST", "/v1/apply", { body, ...options });
  }

  getChangesName(name, query, options) {
    return this.call("GET", `/v1/changes/${encodeURIComponent(name)}`, { query, ...options });
  }

  getChanges(query, options) {
    return this.call("GET", "/v1/changes", { query, ...options });
  }

  postTickets(body, options) {
    return this.call("POST", "/v1/tickets", { body, ...options });
  }

  getWhy(query, options) {
    return this.call("GET", "/v1/why", { query, ...options });
  }

  getWhyNot(query, options) {
    return this.call("GET", "/v1/why-not", { query, ...options });
  }

  getBlame(query, options) {
    return this.call("GET", "/v1/blame", { query, ...options });
  }

  getExplain(query, options) {
    return this.call("GET", "/v1/explain", { query, ...options });
  }

  getProfile(options) {
    return this.call("GET", "/v1/profile", { ...options });
  }

  postProfile(body, options) {
    return this.call("POST", "/v1/profile", { body, ...options });
  }

  postVerify(body, options) {
    return this.call("POST", "/v1/verify", { body, ...options });
  }
}
