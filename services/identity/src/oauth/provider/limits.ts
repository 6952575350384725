import type { ServerResponse } from 'node:http';
import { errors } from 'oidc-provider';
import type { OAuthConfig } from '../../oauth-config.ts';
import { placeOf } from '@fairlead/pages/place';
import type { AttemptBuckets, Bucket } from '../../ports/attempt-buckets.ts';
import type { ClientStore } from '../../ports/client-store.ts';
import { orUnavailable } from './unavailable.ts';

/** Limits on what an anonymous caller may request from the authorization server. */
export interface AnonymousLimits {
  /**
   * Admits a registration from that address, or throws the library's error, with Retry-After where retrying helps. If there are too many
   * unused clients, removes one to make room.
   */
  admitRegistration(address: string, response: ServerResponse): Promise<void>;
  /** Admits a sign-in or device flow from that address, or throws the library's error with Retry-After. */
  admitStart(address: string, response: ServerResponse): Promise<void>;
  /** Whether the address may make us fetch one more client document. */
  mayFetchDocument(address: string): Promise<boolean>;
}

const HOUR_MS = 60 * 60_000;
/** Burst of starts. Each start is stored for minutes; offices share one address, and clients start again when they restart. */
const STARTS = { kind: 'start', capacity: 300, refillMs: 200 };
/** Clients of the last minutes are not removed, so the total may exceed the limit of unused clients by this factor. */
const YOUNG_FACTOR = 10;
const DOCUMENTS = { kind: 'document', capacity: 30, refillMs: 20_000 };

/** A limit is exceeded. */
class TooManyError extends errors.OIDCProviderError {
  override readonly error_description: string;

  constructor(description: string) {
    super(429, 'temporarily_unavailable');
    this.error_description = description;
  }
}

/** The limits, counted in `buckets` across all replicas. */
export function createAnonymousLimits(o: {
  readonly buckets: Pick<AttemptBuckets, 'take'>;
  readonly clients: Pick<ClientStore, 'trimUnused'>;
  readonly config: Pick<OAuthConfig, 'OAUTH_REGISTRATIONS_PER_HOUR' | 'OAUTH_MAX_UNUSED_CLIENTS'>;
}): AnonymousLimits {
  const { OAUTH_REGISTRATIONS_PER_HOUR: perHour, OAUTH_MAX_UNUSED_CLIENTS: maxUnused } = o.config;
  const take = async (
    bucket: Omit<Bucket, 'source'>,
    address: string,
    { response, refusal }: { readonly response: ServerResponse; readonly refusal: string },
  ): Promise<void> => {
    const waitMs = await o.buckets.take({ ...bucket, source: placeOf(address) });
    if (waitMs === 0) return;
    response.setHeader('retry-after', Math.ceil(waitMs / 1000));
    throw new TooManyError(refusal);
  };
  return {
    admitRegistration: (address, response) =>
      orUnavailable(async () => {
        if (perHour === 0 || maxUnused === 0)
          throw new errors.AccessDenied('clients cannot register themselves here');
        const refillMs = Math.ceil(HOUR_MS / perHour);
        await take({ kind: 'registration', capacity: perHour, refillMs }, address, {
          response,
          refusal: 'too many clients were registered from your address, try again later',
        });
        // Removes an old client instead of refusing: otherwise somebody with many addresses could block registration for everybody.
        await o.clients.trimUnused(maxUnused - 1, YOUNG_FACTOR * maxUnused - 1);
      }),
    admitStart: (address, response) =>
      orUnavailable(() =>
        take(STARTS, address, {
          response,
          refusal: 'too many sign-ins were started from your address, try again later',
        }),
      ),
    mayFetchDocument: (address) =>
      orUnavailable(async () => (await o.buckets.take({ ...DOCUMENTS, source: placeOf(address) })) === 0),
  };
}
