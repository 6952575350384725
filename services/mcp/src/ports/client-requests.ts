import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ClientAnswer } from './client-channel.ts';

/** A request that its client has not answered yet. */
export interface OpenRequest {
  /** Its id at the client, which nobody can guess. */
  readonly key: string;
  /** Resolves with the answer, whichever replica it arrives at. */
  readonly answer: Promise<ClientAnswer>;
  /** Takes no answer from now on. */
  close(): void;
}

/** The answer to a request, as it was sent. */
export interface SentAnswer {
  readonly kind: 'result' | 'error';
  /** JSON of an object. */
  readonly json: Uint8Array;
}

/** Requests that this service makes of clients. */
export interface ClientRequests {
  /** Opens a request that only the same caller can answer, once, at the same server. */
  open(ctx: RequestContext, serverId: string): Promise<OpenRequest>;
  /** Whether a key has the form of those requests. */
  isOwn(key: string): boolean;
  /** Passes an answer to the replica that waits for it, if there is one. UNAVAILABLE if it cannot be reached; VALIDATION_ERROR for an answer that is too long. */
  answer(ctx: RequestContext, serverId: string, key: string, answer: SentAnswer): Promise<void>;
}
