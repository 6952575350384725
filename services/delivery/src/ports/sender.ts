import type { Secret } from '@fairlead/service-kit/secret';
import type { AttemptOutcome } from '../domain/outcome.ts';

/** Where and how a request is sent. */
export interface Target {
  readonly id: string;
  readonly url: string;
  readonly secret: Secret;
  /** Further headers, by name. */
  readonly headers: Secret<Readonly<Record<string, string>>>;
}

/** One signed request with an event. */
export interface SignedRequest {
  readonly target: Target;
  readonly eventId: string;
  readonly triggerId: string;
  readonly body: Uint8Array;
  readonly attempt: number;
}

/** Sends a request and waits for its response, 10 s at most. Never rejects. */
export type SendRequest = (request: SignedRequest) => Promise<AttemptOutcome>;
