import type net from 'node:net';

/** One outbound HTTP call. */
export interface EgressRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Ends the call: with its TimeoutError as `timeout`, otherwise as `aborted`. */
  readonly signal: AbortSignal;
  /** For the whole call: name, connection, redirects and body. Default: as long as `signal` allows. */
  readonly timeoutMs?: number;
  /** Most bytes of the decoded body. Default 10 MiB. */
  readonly maxResponseBytes?: number;
  /** `follow` (default): within the origin, at most 5; leaving it fails. `manual`: a 3xx is the response. */
  readonly redirect?: 'follow' | 'manual';
  /**
   * `whole` (default): decoded if the other side encoded it; more than `maxResponseBytes` fails. `beginning`: its first
   * `maxResponseBytes` bytes as they were sent; the connection is closed if there are more.
   */
  readonly responseBody?: 'whole' | 'beginning';
  /**
   * Calls with the same destination share a limit of sockets. The caller chooses the name, such as an account's id. Calls
   * above the limit wait for their turn within their deadline. Default: the host and port of the URL.
   */
  readonly destination?: string;
  /** No kept-alive connection is used: for repeating a call that one has lost (EgressError.isKeptAliveLost). */
  readonly isNewConnection?: boolean;
  /**
   * Called right before the request is written, however long its connection took: if false, nothing is, the call fails as
   * `not_begun`, and its connection is kept for the next one. Default: it is written.
   */
  readonly mayBegin?: () => boolean;
}

/** The complete response to an outbound HTTP call, whatever its status. */
export interface EgressResponse {
  readonly status: number;
  /** Names in lower case; a repeated header's values are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The body goes on after `body`, which is its beginning. */
  readonly isTruncated: boolean;
  /** The final address, after redirects. */
  readonly url: string;
}

/**
 * The way out for every call whose target a tenant can choose. Addresses are checked when a connection is made: only public
 * ones and what the operator opened are allowed, whatever a name resolves to and however the address is written. Failures
 * are EgressErrors.
 */
export interface Egress {
  /** One request with a total deadline and bounds on what its response can cost. */
  request(o: EgressRequest): Promise<EgressResponse>;
  /**
   * A fetch under the same guard, for libraries that take one: redirects within their origin, at most 20 MiB on the wire,
   * no encoding asked for. The caller limits time and decoded size. `destination`: as in EgressRequest.
   */
  createFetch(destination?: string): typeof globalThis.fetch;
  /** A connected TCP socket to a checked address, for database drivers. */
  openSocket(host: string, port: number, signal: AbortSignal): Promise<net.Socket>;
  /** Closes every connection. */
  close(): Promise<void>;
}
