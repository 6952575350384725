import type { Credential } from '@fairlead/connector-runtime/call';
import { ApiError, notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { actingAccountOf } from '@fairlead/service-kit/context/context';
import { credentialVerdict } from '../domain/credential-verdict.ts';
import type { CredentialStore, ConnectionWithCredential, OpeningPurpose } from '../ports/credential-store.ts';
import { fillCredential } from './fill-credential.ts';
import type { TokenRefresher } from './refresh-token.ts';

type GetCredentialsDeps = DepsOf<typeof fillCredential> & {
  readonly credentials: Pick<CredentialStore, 'read'>;
  readonly refresher: Pick<TokenRefresher, 'refresh'>;
  readonly clock: Clock;
};

/** The opened credential, or the reason why there is none, for people. */
export type CredentialOutcome =
  | { readonly kind: 'credential'; readonly credential: Credential }
  | { readonly kind: 'needsReauthentication' | 'unavailable'; readonly message: string };

// One attempt, and another in case the credential was replaced by one without tokens.
const MAX_ATTEMPTS = 2;

/**
 * Opens the credential of a connection. Renews its access token if it is missing, about to expire, or named as rejected by the caller.
 * NOT_FOUND if there is no such connection.
 */
export async function getCredentials(
  deps: GetCredentialsDeps,
  ctx: RequestContext,
  connectionId: number,
  rejectedVersion: number | undefined,
  purpose: OpeningPurpose = 'call',
): Promise<CredentialOutcome> {
  let lastFailure: string | undefined;
  for (let attempt = 0; ; attempt += 1) {
    const opened = await deps.credentials.read(ctx, actingAccountOf(ctx), connectionId, purpose);
    if (opened === undefined) throw notFound('connection');
    const verdict = credentialVerdict(
      opened.connection,
      opened.credential,
      rejectedVersion,
      deps.clock.now(),
    );
    if (verdict === 'refused') return { kind: 'needsReauthentication', message: refusedText(opened) };
    const isEnough = verdict === 'prefer' && attempt > 0;
    if (verdict === 'use' || isEnough) {
      const credential = await fillCredential(deps, ctx, opened);
      if (credential !== undefined) return { kind: 'credential', credential };
    }
    if (lastFailure !== undefined || attempt === MAX_ATTEMPTS) {
      return { kind: 'unavailable', message: unavailableText(opened, lastFailure) };
    }
    const outcome = await unlessAborted(ctx.signal, deps.refresher.refresh(ctx, opened.connection));
    if (outcome.kind === 'unavailable') lastFailure = outcome.reason;
  }
}

function refusedText({ connection }: ConnectionWithCredential): string {
  return connection.grant === 'authorizationCode'
    ? `${connection.applicationName} no longer accepts the sign-in of this connection. Sign in again.`
    : `${connection.applicationName} refused the OAuth client of this connection. Replace its fields.`;
}

function unavailableText({ connection }: ConnectionWithCredential, reason: string | undefined): string {
  const text = `${connection.applicationName} issued no access token`;
  return reason === undefined ? `${text}.` : `${text}: ${reason}`;
}

/** Stops waiting when this caller aborts; the attempt continues for others. */
async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(new ApiError('TIMEOUT', 'The request took too long.'));
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
