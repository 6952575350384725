import type { Secret } from '@fairlead/service-kit/secret';
import type { AttemptOutcome } from '../domain/outcome.ts';

/** Where and how a request is sent. */
export interface Target {
  readonly id: string;
  readonly url: string;
  readonly secret: Secret;
  /** Further headers, by name. */
  readonly headers: Secret<Readonly<Record<string, string>>>;
  /** Whether a request may still begin with what was read. */
  readonly isCurrent: () => boolean;
}

/** One signed request with an event. */
export interface SignedRequest {
  readonly target: Target;
  /** Reads the target again; undefined: no request may be sent to it any more. */
  readonly renew: () => Promise<Target | undefined>;
  readonly eventId: string;
  readonly triggerId: string;
  readonly body: Uint8Array;
  readonly attempt: number;
}

/**
 * Sends a request and waits for its response, 10 s at most; it begins, and is signed, with a current target only. Undefined: nothing
 * was sent, because none could be had. Rejects only as `renew` does, if nothing was sent.
 */
export type SendRequest = (request: SignedRequest) => Promise<AttemptOutcome | undefined>;
