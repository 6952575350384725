import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ClientAnswer } from './client-channel.ts';

/** A request that its client has not answered yet. */
export interface OpenRequest {
  /** The request's id for the client; unguessable. */
  readonly key: string;
  /** Resolves with the answer, at whichever replica it arrives. */
  readonly answer: Promise<ClientAnswer>;
  /** Closes the request: later answers are ignored. */
  close(): void;
}

/** The answer to a request, as sent. */
export interface SentAnswer {
  readonly kind: 'result' | 'error';
  /** A JSON object. */
  readonly json: Uint8Array;
}

/** Requests of this service to clients. */
export interface ClientRequests {
  /** Opens a request that only the same caller can answer, once, at the same server. */
  open(ctx: RequestContext, serverId: string): Promise<OpenRequest>;
  /** Whether a key has the form of these requests. */
  isOwn(key: string): boolean;
  /**
   * Delivers an answer to the waiting replica, if any. UNAVAILABLE if it cannot be reached; VALIDATION_ERROR for an answer that is too
   * long.
   */
  answer(ctx: RequestContext, serverId: string, key: string, answer: SentAnswer): Promise<void>;
}
