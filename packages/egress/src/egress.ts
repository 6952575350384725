import type net from 'node:net';

/** One outbound HTTP call. */
export interface EgressRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Ends the call: as `timeout` if its reason is a TimeoutError, otherwise as `aborted`. */
  readonly signal: AbortSignal;
  /** For the whole call: name resolution, connection, redirects and body. Default: as long as `signal` allows. */
  readonly timeoutMs?: number;
  /** The maximum size of the decoded body. Default 10 MiB. */
  readonly maxResponseBytes?: number;
  /**
   * `follow` (default): redirects within the origin, at most 5; one to another origin fails. `manual`: a 3xx is returned as the response.
   */
  readonly redirect?: 'follow' | 'manual';
  /**
   * `whole` (default): decoded if the server encoded it; more than `maxResponseBytes` fails. `beginning`: its first `maxResponseBytes`
   * bytes as they were sent; the connection is closed if there are more.
   */
  readonly responseBody?: 'whole' | 'beginning';
  /**
   * Calls with the same destination share a limit of sockets. The caller chooses the name, such as an account's id. Calls
   * above the limit wait for their turn within their deadline. Default: the host and port of the URL.
   */
  readonly destination?: string;
  /** Uses no kept-alive connection: for repeating a call that such a connection lost (EgressError.isKeptAliveLost). */
  readonly isNewConnection?: boolean;
  /**
   * Called right before the request is written, however long connecting took. If it returns false, nothing is written, the call fails as
   * `not_begun`, and the connection is kept for the next call. Default: the request is written.
   */
  readonly mayBegin?: () => boolean;
}

/** The complete response to an outbound HTTP call, with any status. */
export interface EgressResponse {
  readonly status: number;
  /** Names in lower case; a repeated header's values are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Whether the body continues after `body`, which is its beginning. */
  readonly isTruncated: boolean;
  /** The final address, after redirects. */
  readonly url: string;
}

/**
 * The HTTP client for every call whose target a tenant can choose. Addresses are checked when a connection is made: only public addresses
 * and those that the operator opened are allowed, whatever a name resolves to and however the address is written. Failures are
 * EgressErrors.
 */
export interface Egress {
  /** One request with a total deadline and bounds on the cost of its response. */
  request(o: EgressRequest): Promise<EgressResponse>;
  /**
   * A fetch with the same checks, for libraries that need one: redirects within their origin, at most 20 MiB on the wire, no encoding
   * requested. The caller limits time and decoded size. `destination`: as in EgressRequest.
   */
  createFetch(destination?: string): typeof globalThis.fetch;
  /** A connected TCP socket to a checked address, for database drivers. */
  openSocket(host: string, port: number, signal: AbortSignal): Promise<net.Socket>;
  /** Closes every connection. */
  close(): Promise<void>;
}
