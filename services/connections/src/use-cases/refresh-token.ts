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
import type { AccountSlots } from '@fairlead/service-kit/slots/account-slots';
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
import { renewalSlot } from '../domain/vendor-slots.ts';
import { vendorText } from '../domain/vendor-text.ts';
import type {
  ClaimedCredential,
  CredentialStore,
  LeaseKey,
  OpenedConnection,
} from '../ports/credential-store.ts';
import { detachedContext } from '@fairlead/service-kit/context/detached-context';
import { tokenRequestOf } from '../domain/token-request.ts';
import { findClient } from './find-client.ts';
import { findMethod } from './find-method.ts';
import { recordClientRefusal } from './record-client-refusal.ts';

type TokenRefresherDeps = DepsOf<typeof findMethod | typeof findClient | typeof recordClientRefusal> & {
  readonly credentials: Pick<CredentialStore, 'claim' | 'saveTokens' | 'saveRefusal' | 'saveFailure'>;
  readonly tokenClient: Pick<TokenClient, 'refresh' | 'clientCredentials'>;
  /** Apart from those of tests, which need one while they hold theirs. */
  readonly refreshSlots: Pick<AccountSlots, 'run'>;
  readonly clock: Clock;
};

/** For whom a refresher renews: callers who need a credential, or the keeper of grants that nobody uses. */
export type RenewedFor = 'call' | 'keeper';

const renewals = registry.counter({
  name: 'token_renewals_total',
  help: 'Requests for new tokens, by whom they were for, and the outcome; refused: only a new sign-in helps.',
  labels: ['for', 'outcome'],
});

/** The version of a credential to renew. */
export type RenewableCredential = Pick<Connection, 'accountId' | 'id' | 'credentialVersion'>;

/** `settled`: this or another process renewed or replaced the credential, or it was refused; read it again. */
export type RefreshOutcome =
  { readonly kind: 'settled' } | { readonly kind: 'unavailable'; readonly reason: string };

/** Renews access tokens, with one attempt at a time per connection over all replicas. */
export interface TokenRefresher {
  /**
   * Renews the tokens of that version of a credential, or waits for the replica that does. The attempt runs to its end
   * even if `ctx` is aborted: a vendor's new refresh token must not be lost because a caller disconnected.
   * RATE_LIMIT_EXCEEDED, with nothing requested, if too many connections of the account are being renewed for too long.
   */
  refresh(ctx: RequestContext, connection: RenewableCredential): Promise<RefreshOutcome>;
  /** Ends those that wait for other attempts, and resolves when none is in progress. For a stop. */
  drain(): Promise<void>;
}

const VENDOR_TIMEOUT_MS = 15_000;
const ATTEMPT_TIMEOUT_MS = 25_000;
/** Longer than an attempt, so that no replica takes the lease from a holder that is still working. */
const LEASE_MS = 30_000;
const POLL_MS = 40;
/** Between attempts to store what a vendor granted. */
const SAVE_PAUSE_MS = 200;
const MAX_POLLS = Math.ceil(LEASE_MS / POLL_MS) + 1;

/** A refresher over the shared lease; callers of one process share an attempt. */
export function createTokenRefresher(given: TokenRefresherDeps, renewedFor: RenewedFor): TokenRefresher {
  const deps = { ...given, renewedFor };
  const inProgress = new Map<string, Promise<RefreshOutcome>>();
  const closing = new AbortController();
  return {
    refresh(ctx, connection) {
      const key = [connection.accountId, connection.id, connection.credentialVersion].join('/');
      const running = inProgress.get(key);
      if (running !== undefined) return running;
      const slot = renewalSlot(connection.accountId, connection.id, closing.signal);
      const attempt = deps.refreshSlots
        .run(slot, () => attemptRefresh(deps, ctx, connection))
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

type AttemptDeps = TokenRefresherDeps & { readonly renewedFor: RenewedFor };

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

/** The contexts of an attempt: for what it asks, and for what it must store, which has the time until the lease ends. */
interface AttemptContexts {
  readonly ctx: RequestContext;
  readonly underLease: RequestContext;
}

/** Requests tokens from the vendor under the lease. Only a refusal of the current grant is final. */
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
    opened: OpenedConnection,
    { tokens: granted, vendor, addressRevision }: Granted,
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

/** The scopes that a vendor names with new tokens; one that names none grants the former ones (RFC 6749 section 6). */
function statedScopes(
  { scopes, statesScopes }: TokenSet,
  secrets: readonly string[],
): { readonly grantedScopes?: readonly string[] } {
  return statesScopes === true && scopes.length > 0 ? { grantedScopes: keptScopes(scopes, secrets) } : {};
}

/**
 * Stores new tokens before any caller uses them. With rotation the former refresh token no longer works, so a write that fails
 * is repeated until the lease ends: a database elects another primary within that time.
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
 * The values that the vendor sent for later requests; new ones replace the former ones. A grant that a person signed in for is
 * kept whatever comes with it; the first tokens of a client need all values.
 */
function recapture(
  ctx: RequestContext,
  of: MethodOf,
  { connection, credential }: OpenedConnection,
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
    // The lease expires by itself; the first error is the one that matters.
    ctx.log.warn({ err: cause, connectionId: connection.id }, 'could not release a refresh lease');
  });
  if (!(error instanceof TokenError || error instanceof ApiError)) throw error;
  return { kind: 'unavailable', reason: vendorText(error.message, secrets) };
}

/** New tokens, the host of the token endpoint, unless its address needs a value that is missing, and the revision of the client. */
interface Granted {
  readonly tokens: TokenSet;
  readonly vendor: string | undefined;
  readonly addressRevision: string | null;
}

async function requestTokens(
  deps: TokenRefresherDeps,
  ctx: RequestContext,
  { connection, credential }: OpenedConnection,
  method: AuthenticationMethod,
  used: MethodClient | undefined,
): Promise<Granted> {
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
  // As final as the vendor's own refusal: there is nothing that another attempt could send.
  if (refreshToken === undefined)
    throw new TokenError('refused', 'the vendor issued no refresh token', { code: GRANT_REFUSAL });
  return { tokens: await deps.tokenClient.refresh(scheme, { ...call, refreshToken }), ...granter };
}
