import type { AuthenticationMethod } from '@fairlead/connector-model/model';
import type { TokenClient } from '@fairlead/connector-runtime/token-client';
import { TokenError } from '@fairlead/connector-runtime/token-client';
import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Settlement } from '@fairlead/service-kit/sweep/claims';
import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import type { Connection } from '../domain/connection.ts';
import { secretTexts } from '../domain/credential.ts';
import { connectorSlugOf } from '../domain/mcp-application.ts';
import { schemeAt } from '../domain/mcp-sign-in.ts';
import { OWN_CLIENT_ID, providerMethodClient } from '../domain/oauth-client.ts';
import type { MethodClient } from '../domain/oauth-client.ts';
import { isAtItsAddress } from '../domain/provider-address.ts';
import { nextRevocation } from '../domain/revocation.ts';
import { tokenRequestOf } from '../domain/token-request.ts';
import { vendorText } from '../domain/vendor-text.ts';
import type { AuthProviderStore } from '../ports/auth-provider-store.ts';
import type { ConnectionWithCredential } from '../ports/credential-store.ts';
import type { DueRevocation, RevocationStore } from '../ports/revocation-store.ts';
import { findClient } from './find-client.ts';
import { findMethod } from './find-method.ts';

type RevokeGrantDeps = DepsOf<typeof findClient | typeof findMethod> & {
  readonly revocations: Pick<RevocationStore, 'open' | 'hasSibling' | 'remove'>;
  readonly authProviders: Pick<AuthProviderStore, 'openRetired'>;
  readonly tokenClient: Pick<TokenClient, 'revokeToken'>;
  readonly clock: Clock;
};

const revocations = registry.counter({
  name: 'grant_revocations_total',
  help:
    'Grants of deleted connections and abandoned sign-ins, by outcome; unsupported: their vendor has no way to revoke them; ' +
    'shared: it would end another connection; moved: the auth provider has since been changed to another address.',
  labels: ['outcome'],
});

const VENDOR_TIMEOUT_MS = 20_000;

/**
 * Revokes the grant of a deleted connection, or of a sign-in without connection, if the vendor can do so without ending another connection.
 * Undefined: it is done, or was given up after a day; its tokens are deleted here, too.
 */
export async function revokeGrant(
  deps: RevokeGrantDeps,
  ctx: RequestContext,
  due: DueRevocation,
): Promise<Settlement | undefined> {
  const { _id: connectionId, accountId } = due;
  const opened = await deps.revocations.open(ctx, accountId, connectionId);
  if (opened === undefined) return undefined;
  const secrets = [...secretTexts(opened.credential)];
  try {
    revocations.series(await askVendor(deps, ctx, opened, secrets)).add();
  } catch (error) {
    if (!(error instanceof TokenError || error instanceof ApiError)) throw error;
    const at = nextRevocation(due.attempts, due.requestedAt, deps.clock.now());
    revocations.series(at === undefined ? 'givenUp' : 'failed').add();
    if (at !== undefined) return { at, set: { attempts: due.attempts + 1 } };
    const reason = vendorText(error.message, secrets);
    ctx.log.warn({ accountId, connectionId, reason }, 'gave up revoking the grant of a deleted connection');
  }
  await deps.revocations.remove(ctx, accountId, connectionId);
  return undefined;
}

/** The auth provider's client, also if the provider was deleted meanwhile. */
async function retiredClient(
  { authProviders }: Pick<RevokeGrantDeps, 'authProviders'>,
  ctx: RequestContext,
  { accountId, authProviderId }: Connection,
  method: AuthenticationMethod,
): Promise<MethodClient | undefined> {
  if (authProviderId === null || authProviderId === OWN_CLIENT_ID) return undefined;
  const opened = await authProviders.openRetired(ctx, accountId, authProviderId);
  return opened && providerMethodClient(method, opened);
}

/** Undefined: its application is gone, for example after an erasure, and with it the way to revoke. */
async function methodOf(
  deps: DepsOf<typeof findMethod>,
  ctx: RequestContext,
  connection: Connection,
): Promise<AuthenticationMethod | undefined> {
  try {
    return (await findMethod(deps, ctx, connection)).method;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

/** Adds the client's secrets to `secrets`. */
async function askVendor(
  deps: RevokeGrantDeps,
  ctx: RequestContext,
  opened: ConnectionWithCredential,
  secrets: string[],
): Promise<'revoked' | 'unsupported' | 'shared' | 'moved'> {
  const { connection, credential } = opened;
  if (credential.tokens === null) return 'unsupported';
  const method = await methodOf(deps, ctx, connection);
  if (method === undefined) return 'unsupported';
  const revocation =
    method.scheme.type === 'oauth2' ? schemeAt(method.scheme, connection.server).revocation : null;
  if (revocation === null) return 'unsupported';
  if (revocation.scope === 'consent' && (await deps.revocations.hasSibling(ctx, connection))) return 'shared';
  const applicationSlug = connectorSlugOf(connection);
  const client =
    (await findClient(deps, ctx, { ...connection, applicationSlug, method })) ??
    (await retiredClient(deps, ctx, connection, method));
  secrets.push(...(client?.secrets ?? []));
  if (!isAtItsAddress(connection, client)) return 'moved';
  const { scheme, call } = tokenRequestOf(opened, method, client);
  const { accessToken, refreshToken } = credential.tokens;
  return await deps.tokenClient.revokeToken(scheme, {
    ...call,
    tokens: { accessToken: accessToken.reveal(), refreshToken: refreshToken?.reveal() ?? null },
    signal: AbortSignal.any([ctx.signal, AbortSignal.timeout(VENDOR_TIMEOUT_MS)]),
  });
}
