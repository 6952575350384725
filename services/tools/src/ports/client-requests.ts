import type { JsonObject } from '@fairlead/connector-model/model';
import type { LazyJson } from '@fairlead/service-kit/json/lazy-json';

/** The answer of a client, not parsed yet: its result, or a JSON-RPC error. */
export type ClientAnswer = { readonly result: LazyJson } | { readonly error: LazyJson };

/** A request that waits for the answer of a client. */
export interface OpenRequest {
  /** Names the request; nobody can guess it. */
  readonly key: string;
  /** Rejects with a ClientError if the client answers with an error, and with another error if the request is closed before. */
  readonly answer: Promise<JsonObject>;
}

/** The requests that running calls have sent to their clients. */
export interface ClientRequests {
  /** Opens a request that its caller can answer once, until the signal aborts. */
  open(caller: string, signal: AbortSignal): OpenRequest;
  /**
   * Passes an answer to the replica that has the request. NOT_FOUND if no open request of that caller has the key; UNAVAILABLE if the
   * replica cannot be reached; VALIDATION_ERROR for an answer that is too large or not of the form of one.
   */
  answer(caller: string, key: string, answer: ClientAnswer): Promise<void>;
}
