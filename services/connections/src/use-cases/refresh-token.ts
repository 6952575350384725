import { setTimeout as pause } from 'node:timers/promises';
import type { AuthenticationMethod } from '@fairlead/connector-model/model';
import { tokenHost } from '@fairlead/connector-runtime/oauth/token-host';
import type { TokenClient, TokenSet } from '@fairlead/connector-runtime/token-client';
import { TokenError } from '@fairlead/connector-runtime/token-client';
import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { guid } from '@fairlead/service-kit/ids';
import type { AccountPermits } from '@fairlead/service-kit/permits/account-permits';
import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import { GRANT_REFUSAL, isGrantRefusal, unattendedRefusal } from '../domain/oauth-client.ts';
import type { MethodClient } from '../domain/oauth-client.ts';
import type { Connection } from '../domain/connection.ts';
import { keptTokens, NO_VALUES, secretTexts } from '../domain/credential.ts';
import type { FieldValues, Tokens } from '../domain/credential.ts';
import { keptScopes } from '../domain/granted-scopes.ts';
import { captureTokenResponse, mergeValues } from '../domain/sign-in-fields.ts';
import type { MethodOf } from '../domain/sign-in-fields.ts';
import { credentialAt } from '../domain/provider-address.ts';
import { connectorSlugOf } from '../domain/mcp-application.ts';
import { isGivenUp, nextAttempt } from '../domain/renewal.ts';
import { renewalPermit } from '../domain/vendor-permits.ts';
import { vendorText } from '../domain/vendor-text.ts';
import type {
  ClaimedCredential,
  CredentialStore,
  LeaseKey,
  ConnectionWithCredential,
} from '../ports/credential-store.ts';
import { detachedContext } from '@fairlead/service-kit/context/detached-context';
import { tokenRequestOf } from '../domain/token-request.ts';
import { findClient } from './find-client.ts';
import { findMethod } from './find-method.ts';
import { recordClientRefusal } from './record-client-refusal.ts';

type TokenRefresherDeps = DepsOf<typeof findMethod | typeof findClient | typeof recordClientRefusal> & {
  readonly credentials: Pick<CredentialStore, 'claim' | 'saveTokens' | 'saveRefusal' | 'saveFailure'>;
  readonly tokenClient: Pick<TokenClient, 'refresh' | 'clientCredentials'>;
  /** Own permits, separate from those for connection tests: a test needs a refresh while it has its permit. */
  readonly refreshPermits: Pick<AccountPermits, 'run'>;
  readonly clock: Clock;
};

/** On whose behalf a refresher renews: callers that need a credential, or the keeper of unused grants. */
export type RenewalPurpose = 'call' | 'keeper';

const renewals = registry.counter({
  name: 'token_renewals_total',
  help: 'Requests for new tokens, by requester and outcome; refused: only a new sign-in helps.',
  labels: ['for', 'outcome'],
});

/** The version of a credential to renew. */
export type RenewableCredential = Pick<Connection, 'accountId' | 'id' | 'credentialVersion'>;

/** `settled`: the credential was renewed, replaced or refused, by this or another process; read it again. */
export type RefreshOutcome =
  { readonly kind: 'settled' } | { readonly kind: 'unavailable'; readonly reason: string };

/** Renews access tokens: one attempt at a time per connection, over all replicas. */
export interface TokenRefresher {
  /**
   * Renews the tokens of that credential version, or waits for the replica that does. The attempt continues even if `ctx` is aborted: a new
   * refresh token must not be lost because a caller disconnected. RATE_LIMIT_EXCEEDED, without a request, if too many of the account's
   * connections are being renewed for too long.
   */
  refresh(ctx: RequestContext, connection: RenewableCredential): Promise<RefreshOutcome>;
  /** Ends waiting calls, and resolves when no attempt is in progress. For shutdown. */
  drain(): Promise<void>;
}

const VENDOR_TIMEOUT_MS = 15_000;
const ATTEMPT_TIMEOUT_MS = 25_000;
/** Longer than an attempt, so that no replica takes the lease of a working one. */
const LEASE_MS = 30_000;
const POLL_MS = 40;
/** Pause between attempts to store granted tokens. */
const SAVE_PAUSE_MS = 200;
const MAX_POLLS = Math.ceil(LEASE_MS / POLL_MS) + 1;

/** Creates a refresher with the shared lease; callers in one process share an attempt. */
export function createTokenRefresher(
  options: TokenRefresherDeps,
  renewedFor: RenewalPurpose,
): TokenRefresher {
  const deps = { ...options, renewedFor };
  const inProgress = new Map<string, Promise<RefreshOutcome>>();
  const closing = new AbortController();
  return {
    refresh(ctx, connection) {
      const key = [connection.accountId, connection.id, connection.credentialVersion].join('/');
      const running = inProgress.get(key);
      if (running !== undefined) return running;
      const permit = renewalPermit(connection.accountId, connection.id, closing.signal);
      const attempt = deps.refreshPermits
        .run(permit, () => attemptRefresh(deps, ctx, connection))
        .finally(() => inProgress.delete(key));
      inProgress.set(key, attempt);
      return attempt;
    },
    async drain() {
      closing.abort();
      await Promise.allSettled(inProgress.values());
    },
  };
}

type AttemptDeps = TokenRefresherDeps & { readonly renewedFor: RenewalPurpose };

async function attemptRefresh(
  deps: AttemptDeps,
  caller: RequestContext,
  { accountId, id: connectionId, credentialVersion: version }: RenewableCredential,
): Promise<RefreshOutcome> {
  const key: LeaseKey = { accountId, connectionId, owner: guid() };
  for (let poll = 0; poll < MAX_POLLS; poll += 1) {
    const ctx = detachedContext(caller, ATTEMPT_TIMEOUT_MS);
    const underLease = detachedContext(caller, LEASE_MS);
    const now = deps.clock.now();
    const claim = await deps.credentials.claim(ctx, key, {
      version,
      now,
      until: new Date(now.getTime() + LEASE_MS),
    });
    switch (claim.kind) {
      case 'changed':
        return { kind: 'settled' };
      case 'claimed':
        return await renew(deps, { ctx, underLease }, key, claim);
      case 'held':
        await pause(POLL_MS);
    }
  }
  return { kind: 'unavailable', reason: 'the access token is being refreshed elsewhere; try again' };
}

/** The contexts of an attempt: one for requests, and one for storing, which lasts until the lease ends. */
interface AttemptContexts {
  readonly ctx: RequestContext;
  readonly underLease: RequestContext;
}

/** Requests tokens from the vendor under the lease. Only a refusal of the current grant is permanent. */
async function renew(
  deps: AttemptDeps,
  { ctx, underLease }: AttemptContexts,
  key: LeaseKey,
  { opened: claimed, failingSince }: ClaimedCredential,
): Promise<RefreshOutcome> {
  const { connection } = claimed;
  const secrets = [...secretTexts(claimed.credential)];
  const store = async (
    of: MethodOf,
    opened: ConnectionWithCredential,
    { tokens: granted, vendor, addressRevision }: RefreshResult,
  ): Promise<void> => {
    const { credential } = opened;
    const captured = recapture(ctx, of, opened, granted);
    const now = deps.clock.now();
    const tokens = keptTokens(granted, credential.tokens, now, captured);
    const scopes = statedScopes(granted, [...secrets, ...secretTexts({ ...credential, tokens })]);
    await saveTokens(deps, underLease, key, tokens, { vendor, ...scopes, addressRevision, now });
  };
  try {
    const { head, method } = await findMethod(deps, ctx, connection);
    const client = await findClient(deps, ctx, {
      ...connection,
      applicationSlug: connectorSlugOf(connection),
      method,
    });
    secrets.push(...(client?.secrets ?? []));
    const opened = credentialAt(claimed, client);
    await recordClientRefusal(
      deps,
      ctx,
      {
        accountId: connection.accountId,
        client,
        server: connection.server ?? null,
        secrets,
        store: (granted) => store({ head, method }, opened, granted),
      },
      () => requestTokens(deps, ctx, opened, method, client),
    );
  } catch (error) {
    return await settleFailure(deps, ctx, key, { connection, secrets, failingSince }, error);
  }
  renewals.series(deps.renewedFor, 'renewed').add();
  if (failingSince !== null)
    ctx.log.info({ connectionId: connection.id, failingSince }, 'a grant can be renewed again');
  return { kind: 'settled' };
}

/** The scopes that a vendor names with new tokens; if it names none, the former ones are granted (RFC 6749 section 6). */
function statedScopes(
  { scopes, statesScopes }: TokenSet,
  secrets: readonly string[],
): { readonly grantedScopes?: readonly string[] } {
  return statesScopes === true && scopes.length > 0 ? { grantedScopes: keptScopes(scopes, secrets) } : {};
}

/**
 * Stores new tokens before any caller uses them. With rotation the former refresh token is already invalid, so a failed write is repeated
 * until the lease ends; within that time a database elects a new primary.
 */
async function saveTokens(
  { credentials }: TokenRefresherDeps,
  ctx: RequestContext,
  key: LeaseKey,
  tokens: Tokens,
  of: Parameters<CredentialStore['saveTokens']>[3],
): Promise<void> {
  const { connectionId } = key;
  for (;;) {
    try {
      return await credentials.saveTokens(ctx, key, tokens, of);
    } catch (error) {
      if (ctx.signal.aborted) {
        ctx.log.error({ err: error, connectionId }, 'could not store renewed tokens: they are lost');
        throw error;
      }
      ctx.log.warn({ err: error, connectionId }, 'could not store renewed tokens yet');
    }
    await pause(SAVE_PAUSE_MS);
  }
}

/**
 * Values that the vendor sent for later requests; new ones replace former ones. The grant of a person's sign-in is kept even if values are
 * missing; the first tokens of a client need all of them.
 */
function recapture(
  ctx: RequestContext,
  of: MethodOf,
  { connection, credential }: ConnectionWithCredential,
  { raw }: TokenSet,
): FieldValues {
  const { values, faults } = captureTokenResponse(of, raw);
  if (faults.length > 0 && credential.tokens === null) throw new TokenError('unavailable', faults.join('; '));
  if (faults.length > 0) {
    ctx.log.info({ connectionId: connection.id, faults }, 'a refresh lacks values; the former ones stay');
  }
  return mergeValues(credential.tokens?.captured ?? NO_VALUES, values);
}

async function settleFailure(
  deps: AttemptDeps,
  ctx: RequestContext,
  key: LeaseKey,
  attempt: {
    readonly connection: Connection;
    readonly secrets: readonly string[];
    readonly failingSince: Date | null;
  },
  error: unknown,
): Promise<RefreshOutcome> {
  const { connection, secrets } = attempt;
  if (isGrantRefusal(error)) {
    renewals.series(deps.renewedFor, 'refused').add();
    ctx.log.info({ connectionId: connection.id }, 'the vendor refused to renew a grant');
    const reason = vendorText(error.message, secrets);
    await deps.credentials.saveRefusal(ctx, key, { reason, now: deps.clock.now() });
    return { kind: 'settled' };
  }
  renewals.series(deps.renewedFor, 'failed').add();
  const now = deps.clock.now();
  const failingSince = attempt.failingSince ?? now;
  if (isGivenUp(failingSince, now))
    ctx.log.warn({ connectionId: connection.id, failingSince }, 'a grant could not be renewed for a day');
  const retryAt = nextAttempt(connection.id, failingSince, now);
  await deps.credentials.saveFailure(ctx, key, { failingSince, retryAt }).catch((cause: unknown) => {
    // The lease expires by itself; the first error is the important one.
    ctx.log.warn({ err: cause, connectionId: connection.id }, 'could not release a refresh lease');
  });
  if (!(error instanceof TokenError || error instanceof ApiError)) throw error;
  return { kind: 'unavailable', reason: vendorText(error.message, secrets) };
}

/** New tokens, the client's address revision, and the host of the token endpoint (undefined if its address lacks a value). */
interface RefreshResult {
  readonly tokens: TokenSet;
  readonly vendor: string | undefined;
  readonly addressRevision: string | null;
}

async function requestTokens(
  deps: TokenRefresherDeps,
  ctx: RequestContext,
  { connection, credential }: ConnectionWithCredential,
  method: AuthenticationMethod,
  used: MethodClient | undefined,
): Promise<RefreshResult> {
  const { scheme, call: unbound } = tokenRequestOf({ connection, credential }, method, used);
  const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(VENDOR_TIMEOUT_MS)]);
  const call = { ...unbound, signal };
  const granter = {
    vendor: tokenHost(scheme, call.values),
    addressRevision: used?.addressRevision ?? null,
  };
  if (connection.grant === 'clientCredentials') {
    const request = deps.tokenClient.clientCredentials(scheme, call);
    const tokens = await request.catch((error: unknown) => {
      throw unattendedRefusal(error, scheme, used);
    });
    return { tokens, ...granter };
  }
  const refreshToken = credential.tokens?.refreshToken?.reveal();
  // As permanent as a refusal by the vendor: another attempt would send the same.
  if (refreshToken === undefined)
    throw new TokenError('refused', 'the vendor issued no refresh token', { code: GRANT_REFUSAL });
  return { tokens: await deps.tokenClient.refresh(scheme, { ...call, refreshToken }), ...granter };
}
