/** Options of a single request. */
export interface Options {
  /** Ends the request. */
  signal?: AbortSignal;
}

/** What one epoch changed in a view. An integer beyond 2^53 is a bigint. */
export interface Change {
  epoch: number;
  plus: Array<Array<unknown>>;
  minus: Array<Array<unknown>>;
}

/** An error that the server reports. */
export declare class ServerError extends Error {
  readonly status: number;
  readonly code: string;
  readonly kind: string;
  readonly notes: string[];
  readonly hint: string;
  /** The error as the server sent it, for example with `violations` or `diagnostics`. */
  readonly content: Record<string, unknown>;
}

export declare class Connection {
  /** @param url The address of the server. @param token One of its tokens. */
  constructor(url: string, token: string);

  /** Send a request, and return the response, for example to read another format; raises if it is an error. */
  send(
    method: string,
    path: string,
    request?: Options & { query?: Record<string, unknown>; body?: unknown; headers?: Record<string, string> },
  ): Promise<Response>;

  /** The changes of a view after an epoch (by default, from now on): complete epochs, in order, indefinitely.
   * A broken connection is reopened, and the feed continues where it stopped. */
  feed(view: string, request?: Options & { since?: number }): AsyncGenerator<Change, void, undefined>;
}
