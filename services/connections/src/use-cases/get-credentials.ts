import type { Credential } from '@fairlead/connector-runtime/call';
import { ApiError, notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import { callCredential, tokenState } from '../domain/credential.ts';
import { connectorSlugOf } from '../domain/mcp-application.ts';
import { OWN_CLIENT_ID, withProviderFields } from '../domain/oauth-client.ts';
import type { Catalog } from '../ports/catalog.ts';
import type { CredentialStore, OpenedConnection, OpeningPurpose } from '../ports/credential-store.ts';
import { findClient } from './find-client.ts';
import type { FindClientDeps } from './find-client.ts';
import type { TokenRefresher } from './refresh-token.ts';

/** What getCredentials needs. */
export interface GetCredentialsDeps extends FindClientDeps {
  readonly catalog: Pick<Catalog, 'getConnector'>;
  readonly credentials: Pick<CredentialStore, 'read'>;
  readonly refresher: Pick<TokenRefresher, 'refresh'>;
  readonly clock: Clock;
}

/** The opened credential, or a message for people that says why there is none. */
export type CredentialOutcome =
  | { readonly kind: 'credential'; readonly credential: Credential }
  | { readonly kind: 'needsReauthentication' | 'unavailable'; readonly message: string };

/** `use`: usable as it is. `prefer`: renew it, but it is still usable. `need`: usable only once renewed. */
type Verdict = 'use' | 'prefer' | 'need' | 'refused';

// One attempt, and one more in case the credential was replaced by one without tokens meanwhile.
const MAX_ATTEMPTS = 2;

/**
 * Opens the credential of a connection. Renews its access token if that is about to expire, missing, or the one that
 * the caller names as rejected. NOT_FOUND if there is no such connection.
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
    const opened = await deps.credentials.read(ctx, accountOf(ctx), connectionId, purpose);
    if (opened === undefined) throw notFound('connection');
    const verdict = judge(opened, rejectedVersion, deps.clock.now());
    if (verdict === 'refused') return { kind: 'needsReauthentication', message: refusedText(opened) };
    const isEnough = verdict === 'prefer' && attempt > 0;
    if (verdict === 'use' || isEnough) return await usable(deps, ctx, opened);
    if (lastFailure !== undefined || attempt === MAX_ATTEMPTS) {
      return { kind: 'unavailable', message: unavailableText(opened, lastFailure) };
    }
    const outcome = await unlessAborted(ctx.signal, deps.refresher.refresh(ctx, opened.connection));
    if (outcome.kind === 'unavailable') lastFailure = outcome.reason;
  }
}

function judge(
  { connection, credential }: OpenedConnection,
  rejectedVersion: number | undefined,
  now: Date,
): Verdict {
  if (connection.grant === 'fields') return 'use';
  if (connection.needsReauthentication) return 'refused';
  if (credential.tokens === null || rejectedVersion === connection.credentialVersion) return 'need';
  switch (tokenState(credential.tokens, now)) {
    case 'fresh':
      return 'use';
    case 'due':
      return connection.grant === 'clientCredentials' || credential.tokens.refreshToken !== null
        ? 'prefer'
        : 'use';
    case 'expired':
      return 'need';
  }
}

async function usable(
  deps: GetCredentialsDeps,
  ctx: RequestContext,
  { connection, credential }: OpenedConnection,
): Promise<CredentialOutcome> {
  const own = callCredential(connection.credentialVersion, connection.fields, credential);
  const { authProviderId, authenticationId } = connection;
  if (authProviderId === null || authProviderId === OWN_CLIENT_ID)
    return { kind: 'credential', credential: own };
  const applicationSlug = connectorSlugOf(connection);
  const head = await deps.catalog.getConnector(ctx, applicationSlug);
  const method = head.authenticationMethods.find((each) => each.authenticationId === authenticationId);
  const client = method && (await findClient(deps, ctx, { ...connection, applicationSlug, method }));
  return { kind: 'credential', credential: withProviderFields(own, client) };
}

function refusedText({ connection }: OpenedConnection): string {
  return connection.grant === 'authorizationCode'
    ? `${connection.applicationName} no longer accepts the sign-in of this connection. Sign in again.`
    : `${connection.applicationName} refused the OAuth client of this connection. Replace its fields.`;
}

function unavailableText({ connection }: OpenedConnection, reason: string | undefined): string {
  const text = `${connection.applicationName} issued no access token`;
  return reason === undefined ? `${text}.` : `${text}: ${reason}`;
}

/** Stops waiting when this caller aborts; the attempt continues for the others. */
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
