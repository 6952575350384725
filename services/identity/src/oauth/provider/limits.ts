import type { ServerResponse } from 'node:http';
import { errors } from 'oidc-provider';
import type { OAuthConfig } from '../../oauth-config.ts';
import { placeOf } from '@fairlead/service-kit/http/place';
import type { AttemptBuckets, Bucket } from '../../ports/attempt-buckets.ts';
import type { ClientStore } from '../../ports/client-store.ts';
import { orUnavailable } from './unavailable.ts';

/** Limits on what an anonymous caller may request from the authorization server. */
export interface AnonymousLimits {
  /**
   * Admits one more registration from that address, or throws the library's error, with Retry-After where that helps. Makes room
   * for it by removing an unused client if there are too many.
   */
  admitRegistration(address: string, response: ServerResponse): Promise<void>;
  /** Admits one more sign-in or device flow from that address, or throws the library's error, with Retry-After. */
  admitStart(address: string, response: ServerResponse): Promise<void>;
  /** Whether the address may make us fetch the document of one more client. */
  mayFetchDocument(address: string): Promise<boolean>;
}

const HOUR_MS = 60 * 60_000;
/** Each start is kept for minutes. Offices share one address, and clients start again when they are restarted. */
const STARTS = { kind: 'start', capacity: 300, refillMs: 200 };
/** Clients of the last minutes, which are not removed, may be so many times those that may be unused. */
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
export function createLimits(o: {
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
        // Refusing would let whoever has many addresses close the registration for everybody.
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
