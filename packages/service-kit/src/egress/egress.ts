import type net from 'node:net';

/** One outbound HTTP call. */
export interface EgressRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal: AbortSignal;
  /** For the whole call: name, connection, redirects and body. */
  readonly timeoutMs: number;
  /** Of the decoded body. Default 10 MiB. */
  readonly maxResponseBytes?: number;
}

/** The complete response to an outbound HTTP call, whatever its status. */
export interface EgressResponse {
  readonly status: number;
  /** Names in lower case; a repeated header's values are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The final address, after redirects. */
  readonly url: string;
}

/**
 * The way out for every call whose target a tenant can choose. Addresses are checked when a connection is made: only public
 * ones and what the operator opened are allowed, whatever a name resolves to and however the address is written. Failures
 * are EgressErrors.
 */
export interface Egress {
  /** One request with a total deadline and a size cap; redirects are followed within their origin, at most 5. */
  request(o: EgressRequest): Promise<EgressResponse>;
  /** The same guard for libraries that take a fetch; the caller's signal limits time and size. */
  readonly fetch: typeof globalThis.fetch;
  /** A connected TCP socket to a checked address, for database drivers. */
  openSocket(host: string, port: number, signal: AbortSignal): Promise<net.Socket>;
  /** Closes every connection. */
  close(): Promise<void>;
}
