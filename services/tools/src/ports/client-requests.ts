import type { JsonObject } from '@fairlead/connector-model/json';
import type { LazyJson } from '@fairlead/service-kit/json/lazy-json';

/** A client's answer, unparsed: its result, or a JSON-RPC error. */
export type ClientAnswer = { readonly result: LazyJson } | { readonly error: LazyJson };

/** A request to a client that is not answered yet. */
export interface OpenRequest {
  /** Names the request; unguessable. */
  readonly key: string;
  /** Rejects with a ClientError if the client answers with an error, and with another error if the request is closed first. */
  readonly answer: Promise<JsonObject>;
}

/** Requests of running calls to their clients. */
export interface ClientRequests {
  /** Opens a request that its caller can answer once, until the signal aborts. */
  open(caller: string, signal: AbortSignal): OpenRequest;
  /**
   * Delivers an answer to the replica that has the request. NOT_FOUND if that caller has no open request with the key; UNAVAILABLE if the
   * replica cannot be reached; VALIDATION_ERROR for an answer that is too large or malformed.
   */
  answer(caller: string, key: string, answer: ClientAnswer): Promise<void>;
}
