// Generated from the OpenAPI document of the server by scripts/typescript_client.py.
import { Connection, type Options } from "./connection.js";

export declare class Tidelog extends Connection {
  /** Metrics of the engine, its sources and requests for Prometheus. */
  getMetrics(options?: Options): Promise<string>;

  /** Version, epoch and limits of the server. */
  getServer(options?: Options): Promise<Record<string, unknown>>;

  /** Rules and relations of the program, and their dependencies. */
  getProgram(options?: Options): Promise<Record<string, unknown>>;

  /** Check the text of a program without running it. */
  postCheck(body: { text: string }, options?: Options): Promise<Record<string, unknown>>;

  /** Statistics of the server. */
  getStatistics(options?: Options): Promise<Record<string, unknown>>;

  /** Followed databases, and their rows that cannot be converted to facts. */
  getSources(options?: Options): Promise<Record<string, unknown>>;

  /** Which of some facts hold, all at one epoch. `answers` has one boolean for each row, in the order of the request. With `given`, these facts are inserted and deleted for this check alone; constraints are not checked. */
  postCheckFacts(body: { facts: Record<string, Array<Array<unknown> | Record<string, unknown>>>; at?: number; given?: { insert?: Record<string, Array<Array<unknown> | Record<string, unknown>>>; delete?: Record<string, Array<Array<unknown> | Record<string, unknown>>> } }, options?: Options): Promise<{ epoch: number; answers: Record<string, Array<boolean>> }>;

  /** Rows of a view. Every other parameter is the name of a column and filters by its value. Responses in types other than JSON contain all rows unless `limit` is given. */
  getViewsName(name: string, query?: { limit?: number; after?: string; at?: number } & Record<string, unknown>, options?: Options): Promise<{ epoch: number; columns: Array<string>; types: Array<string>; rows: Array<Array<unknown>>; total: number; next: string | null; undefined?: Record<string, number> }>;

  /** Undefined facts of a relation. Facts that depend on their own negation and are neither true nor false. They are in no view. */
  getUndefinedName(name: string, query?: { limit?: number; after?: string; at?: number }, options?: Options): Promise<{ epoch: number; columns: Array<string>; types: Array<string>; rows: Array<Array<unknown>>; total: number; next: string | null; undefined?: Record<string, number> }>;

  /** Answers to a query. */
  postQuery(body: { text: string; limit?: number; after?: string; at?: number }, options?: Options): Promise<{ epoch: number; columns: Array<string>; types: Array<string>; rows: Array<Array<unknown>>; total: number; next: string | null; undefined?: Record<string, number> }>;

  /** Commit or preview an epoch that changes facts and rules. Requires the scope `write` or `rules`. */
  postEpochs(body?: { declare?: string; insert?: Record<string, Array<Array<unknown> | Record<string, unknown>>>; delete?: Record<string, Array<Array<unknown> | Record<string, unknown>>>; nulls?: Record<string, string>; add_rules?: Array<string | { text: string; label?: string; replaces?: string }>; remove_rules?: Array<string>; source?: string; offset?: number; author?: string; note?: string; dry_run?: boolean; rows?: number }, options?: Options): Promise<{ epoch?: number | null; repeated?: boolean; dry_run?: boolean; seconds?: number; labels?: Array<string>; nulls?: Record<string, Record<string, unknown>>; ignored_columns?: Record<string, Array<string>>; refused?: boolean; violations?: Array<{ constraint: string; severity: "refuse" | "warn"; meaning: string; count: number; first: Array<Record<string, unknown>>; text: string }>; changes?: Record<string, Record<string, unknown>>; statistics?: Record<string, unknown> }>;

  /** The history of epochs, latest first. */
  getEpochs(query?: { before?: number; limit?: number }, options?: Options): Promise<Record<string, unknown>>;

  /** Undo epochs by committing the inverse of their changes. Requires the scope `write` or `rules`. */
  postRevert(body?: { epoch?: number; since?: number; author?: string; note?: string; dry_run?: boolean; rows?: number }, options?: Options): Promise<{ epoch?: number | null; repeated?: boolean; dry_run?: boolean; seconds?: number; labels?: Array<string>; nulls?: Record<string, Record<string, unknown>>; ignored_columns?: Record<string, Array<string>>; refused?: boolean; violations?: Array<{ constraint: string; severity: "refuse" | "warn"; meaning: string; count: number; first: Array<Record<string, unknown>>; text: string }>; changes?: Record<string, Record<string, unknown>>; statistics?: Record<string, unknown> }>;

  /** Open an epoch. Requires the scope `write` or `rules`. */
  postEpochsOpen(body?: { source?: string; offset?: number; author?: string; note?: string }, options?: Options): Promise<{ id: string }>;

  /** Add changes to an open epoch. Requires the scope `write` or `rules`. */
  postEpochsOpenId(id: string, body?: { declare?: string; insert?: Record<string, Array<Array<unknown> | Record<string, unknown>>>; delete?: Record<string, Array<Array<unknown> | Record<string, unknown>>>; nulls?: Record<string, string>; add_rules?: Array<string | { text: string; label?: string; replaces?: string }>; remove_rules?: Array<string> }, options?: Options): Promise<Record<string, unknown>>;

  /** Discard an open epoch. Requires the scope `write` or `rules`. */
  deleteEpochsOpenId(id: string, options?: Options): Promise<void>;

  /** Commit an open epoch. Requires the scope `write` or `rules`. */
  postEpochsOpenIdCommit(id: string, body?: { dry_run?: boolean; rows?: number }, options?: Options): Promise<{ epoch?: number | null; repeated?: boolean; dry_run?: boolean; seconds?: number; labels?: Array<string>; nulls?: Record<string, Record<string, unknown>>; ignored_columns?: Record<string, Array<string>>; refused?: boolean; violations?: Array<{ constraint: string; severity: "refuse" | "warn"; meaning: string; count: number; first: Array<Record<string, unknown>>; text: string }>; changes?: Record<string, Record<string, unknown>>; statistics?: Record<string, unknown> }>;

  /** Insert rows of one relation, as JSON or as an Arrow stream. Requires the scope `write` or `rules`. */
  postRelationsNameInsert(name: string, body: Array<Array<unknown> | Record<string, unknown>>, query?: { source?: string; offset?: number; author?: string; note?: string; open?: string; nulls?: string; dry_run?: boolean; rows?: number }, options?: Options): Promise<{ epoch?: number | null; repeated?: boolean; dry_run?: boolean; seconds?: number; labels?: Array<string>; nulls?: Record<string, Record<string, unknown>>; ignored_columns?: Record<string, Array<string>>; refused?: boolean; violations?: Array<{ constraint: string; severity: "refuse" | "warn"; meaning: string; count: number; first: Array<Record<string, unknown>>; text: string }>; changes?: Record<string, Record<string, unknown>>; statistics?: Record<string, unknown> }>;

  /** Delete rows of one relation, as JSON or as an Arrow stream. Requires the scope `write` or `rules`. */
  postRelationsNameDelete(name: string, body: Array<Array<unknown> | Record<string, unknown>>, query?: { source?: string; offset?: number; author?: string; note?: string; open?: string; nulls?: string; dry_run?: boolean; rows?: number }, options?: Options): Promise<{ epoch?: number | null; repeated?: boolean; dry_run?: boolean; seconds?: number; labels?: Array<string>; nulls?: Record<string, Record<string, unknown>>; ignored_columns?: Record<string, Array<string>>; refused?: boolean; violations?: Array<{ constraint: string; severity: "refuse" | "warn"; meaning: string; count: number; first: Array<Record<string, unknown>>; text: string }>; changes?: Record<string, Record<string, unknown>>; statistics?: Record<string, unknown> }>;

  /** Make the state match an edited program or files of facts, or apply one epoch of a change script. Requires the scope `write` or `rules`. */
  postApply(body?: { program?: string; columns?: Record<string, Record<string, string | null>>; facts?: Record<string, Array<Array<unknown> | Record<string, unknown>>>; script?: string; source?: string; offset?: number; author?: string; note?: string; dry_run?: boolean; rows?: number }, options?: Options): Promise<{ epoch?: number | null; repeated?: boolean; dry_run?: boolean; seconds?: number; labels?: Array<string>; nulls?: Record<string, Record<string, unknown>>; ignored_columns?: Record<string, Array<string>>; refused?: boolean; violations?: Array<{ constraint: string; severity: "refuse" | "warn"; meaning: string; count: number; first: Array<Record<string, unknown>>; text: string }>; changes?: Record<string, Record<string, unknown>>; statistics?: Record<string, unknown>; difference?: Array<string>; matches?: boolean; facts?: Record<string, Record<string, unknown>> }>;

  /** Changes of a view, by epoch. The id of an event is the number of its epoch. `Last-Event-ID` takes precedence over `since`. */
  getChangesName(name: string, query?: { since?: number; wait?: number; ticket?: string }, options?: Options): Promise<Record<string, unknown>>;

  /** Number of changed rows of all views, by epoch. The id of an event is the number of its epoch. `Last-Event-ID` takes precedence over `since`. */
  getChanges(query?: { since?: number; wait?: number; ticket?: string }, options?: Options): Promise<Record<string, unknown>>;

  /** Create a ticket that opens one feed without a token, for `EventSource` in a browser. */
  postTickets(body?: { view?: string }, options?: Options): Promise<{ ticket: string; address: string; seconds: number }>;

  /** The proof of a fact. */
  getWhy(query: { fact: string; depth?: number; width?: number; at?: number }, options?: Options): Promise<Record<string, unknown>>;

  /** Why a fact is absent. */
  getWhyNot(query: { fact: string; at?: number }, options?: Options): Promise<Record<string, unknown>>;

  /** Changes of facts and rules that caused a change. */
  getBlame(query: { fact: string; epoch?: number; since?: number }, options?: Options): Promise<Record<string, unknown>>;

  /** How rules are evaluated. */
  getExplain(query?: { rule?: string; analyze?: boolean; core?: boolean }, options?: Options): Promise<Record<string, unknown>>;

  /** Where epochs spent their time. */
  getProfile(options?: Options): Promise<Record<string, unknown>>;

  /** Enable or disable sampling of rules. Requires the scope `admin`. */
  postProfile(body: { sampling: boolean }, options?: Options): Promise<Record<string, unknown>>;

  /** Verify that the state is exactly what the rules derive. Requires the scope `admin`. */
  postVerify(body?: Record<string, never>, options?: Options): Promise<Record<string, unknown>>;
}
