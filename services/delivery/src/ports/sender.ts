import type { Secret } from '@fairlead/service-kit/secret';
import type { AttemptOutcome } from '../domain/outcome.ts';

/** Address, secret and headers of a request. */
export interface Target {
  readonly id: string;
  readonly url: string;
  readonly secret: Secret;
  /** Additional headers by name. */
  readonly headers: Secret<Readonly<Record<string, string>>>;
  /** Whether a request may still begin with this read. */
  readonly isCurrent: () => boolean;
}

/** A signed request with an event. */
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
 * Sends a request and waits for its response, at most 10 s; it is signed, and begins, with a current target only. Undefined: nothing was
 * sent, because there was no current target. Rejects only if `renew` does, and then nothing was sent.
 */
export type SendRequest = (request: SignedRequest) => Promise<AttemptOutcome | undefined>;
