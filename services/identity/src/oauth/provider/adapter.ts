import type { Clock } from '@fairlead/service-kit/clock';
import { placeOf } from '@fairlead/pages/place';
import { errors } from 'oidc-provider';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { clientRegistered, consentGranted, grantEnded } from '../../domain/audit-event.ts';
import type { Member } from '../../domain/records.ts';
import type { CurrentRequest } from '../current-request.ts';
import type { Artifact, ArtifactStore } from '../../ports/artifact-store.ts';
import type { ClientStore } from '../../ports/client-store.ts';
import type { GrantStore } from '../../ports/grant-store.ts';
import type { ChangeIdentity } from '../../ports/identity-change.ts';
import type { SignInEnds } from '../../ports/sign-in-ends.ts';
import type { AccessTokenKind, StructuredTokens } from './structured-tokens.ts';
import { ROUTES } from './routes.ts';
import { orUnavailable } from './unavailable.ts';

/** The dependencies of the library's storage. */
export interface AdapterDeps {
  readonly artifacts: Omit<ArtifactStore, 'removeOf'>;
  readonly grants: Omit<GrantStore, 'removeOf'>;
  readonly clients: ClientStore;
  readonly signInEnds: Pick<SignInEnds, 'isOver'>;
  readonly structuredTokens: StructuredTokens;
  /** The account of a user, active or not; undefined if the user is unknown. */
  readonly findAccountOf: (userId: string) => Promise<string | undefined>;
  /** An active user with its account; undefined for any other id. */
  readonly findActiveMember: (userId: string) => Promise<Member | undefined>;
  readonly changeIdentity: ChangeIdentity;
  readonly currentRequest: () => CurrentRequest | undefined;
  readonly clock: Clock;
  readonly refreshGraceSeconds: number;
}

/** The storage of one kind of the library's records, by the kind's name. */
export function createAdapters(deps: AdapterDeps): (kind: string) => Adapter {
  return (kind) => guarded(adapterOf(kind, deps));
}

function adapterOf(kind: string, deps: AdapterDeps): Adapter {
  switch (kind) {
    case 'Client':
      return clientAdapter(deps);
    case 'Grant':
      return grantAdapter(deps);
    case 'AccessToken':
    case 'ClientCredentials':
      return accessTokenAdapter(kind, deps);
    case 'Session':
      return sessionAdapter(deps);
    case 'RefreshToken':
      return refreshTokenAdapter(deps);
    default:
      return artifactAdapter(kind, deps);
  }
}

/** Kinds that can be consumed once: codes, sessions and interactions. */
function artifactAdapter(kind: string, { artifacts, findAccountOf }: AdapterDeps): Adapter {
  return {
    async upsert(id, payload, lifetimeSeconds = 0) {
      const { accountId: userId } = payload;
      const accountId = userId === undefined ? undefined : await findAccountOf(userId);
      await artifacts.put({ kind, id, payload, accountId, lifetimeSeconds });
    },
    find: async (id) => withUse(await artifacts.find(kind, id)),
    findByUid: async (uid) => withUse(await artifacts.findByUid(kind, uid)),
    findByUserCode: async (userCode) => withUse(await artifacts.findByUserCode(kind, userCode)),
    async consume(id) {
      const use = await artifacts.consume(kind, id);
      if (use?.isFirst !== true) throw new errors.InvalidGrant('already used');
    },
    destroy: (id) => artifacts.remove(kind, id),
    // The library also ends the grant in this step; the grant's artifacts are removed after it.
    revokeByGrantId: () => Promise.resolve(),
  };
}

/** Refuses to write a session that has ended, alone or with all of its user's sign-ins: a concurrent request may try to. */
function sessionAdapter(deps: AdapterDeps): Adapter {
  const all = artifactAdapter('Session', deps);
  const unlessOver = async (session: AdapterPayload | undefined | void) => {
    if (session === undefined || session.consumed !== undefined) return undefined;
    const { accountId: userId, loginTs = 0 } = session;
    const isOver = userId !== undefined && (await deps.signInEnds.isOver(userId, loginTs));
    return isOver ? undefined : session;
  };
  return {
    ...all,
    find: async (id) => unlessOver(await all.find(id)),
    findByUid: async (uid) => unlessOver(await all.findByUid(uid)),
    async destroy(id) {
      await deps.artifacts.consume('Session', id);
    },
  };
}

/**
 * Within the grace period a refresh token may be reused, for clients with concurrent requests. Later reuse ends the grant. The token is
 * removed with the grant, not before, so that a failed end can be repeated.
 */
function refreshTokenAdapter(deps: AdapterDeps): Adapter {
  const kind = 'RefreshToken';
  const { artifacts, clock } = deps;
  const isWithinGrace = (consumedAt: Date): boolean =>
    clock.now().getTime() - consumedAt.getTime() < deps.refreshGraceSeconds * 1000;
  return {
    ...artifactAdapter(kind, deps),
    async find(id) {
      const found = await artifacts.find(kind, id);
      const isUsable = found?.consumedAt === undefined || isWithinGrace(found.consumedAt);
      return isUsable ? found?.payload : withUse(found);
    },
    async consume(id) {
      const use = await artifacts.consume(kind, id);
      if (use?.isFirst === true) return;
      if (use === undefined || !isWithinGrace(use.consumedAt)) throw new errors.InvalidGrant('already used');
    },
    destroy: () => Promise.resolve(),
  };
}

function grantAdapter(deps: AdapterDeps): Adapter {
  const { grants, artifacts, clients, findActiveMember, changeIdentity, clock } = deps;
  return {
    ...NOTHING,
    async upsert(id, payload, lifetimeSeconds = 0) {
      const { accountId: userId, clientId } = payload;
      const accountId = userId === undefined ? undefined : (await findActiveMember(userId))?.account.id;
      if (userId === undefined || clientId === undefined || accountId === undefined) throw notActive();
      const owner = { accountId, userId, clientId };
      const event = consentGranted(occurrence(deps), id, owner, scopesOf(payload));
      if (!(await grants.put({ id, owner, payload, lifetimeSeconds }, event))) throw notActive();
      await clients.noteGrant(clientId, new Date(clock.now().getTime() + lifetimeSeconds * 1000));
    },
    find: async (id) => (await grants.find(id))?.payload,
    async destroy(id) {
      const owner = (await grants.find(id))?.owner;
      if (owner !== undefined) {
        // The token endpoint ends a grant only when a code or refresh token is reused.
        const isReuse = deps.currentRequest()?.path === ROUTES.token;
        const event = grantEnded(occurrence(deps), id, owner, isReuse);
        await changeIdentity(owner.accountId, () => grants.remove(id, event));
      }
      await artifacts.removeOfGrant(id);
    },
  };
}

function notActive(): errors.AccessDenied {
  return new errors.AccessDenied('the user may not act in an account');
}

/** The granted scopes, which are the same for every resource. */
function scopesOf(payload: AdapterPayload): readonly string[] {
  // Grant.addResourceScope stores this shape; the library's types leave it open.
  const resources = (payload['resources'] ?? {}) as Readonly<Record<string, string>>;
  return [...new Set(Object.values(resources).flatMap((scopes) => scopes.split(' ')))];
}

function occurrence({ currentRequest, clock }: AdapterDeps): {
  readonly requestId: string;
  readonly occurredAt: Date;
} {
  return { requestId: currentRequest()?.exchange.requestId ?? 'none', occurredAt: clock.now() };
}

function clientAdapter(deps: AdapterDeps): Adapter {
  const { clients } = deps;
  return {
    ...NOTHING,
    // Only dynamic registration stores clients through the library.
    upsert: (id, payload) =>
      clients.insertRegistered(
        id,
        payload,
        placeOf(deps.currentRequest()?.address ?? ''),
        clientRegistered(occurrence(deps), id, payload.redirect_uris ?? []),
      ),
    find: (id) => clients.findMetadata(id),
  };
}

/** Access tokens are JWTs and not stored. Only a token that is being introspected or revoked can be found. */
function accessTokenAdapter(
  kind: AccessTokenKind,
  { structuredTokens, grants, changeIdentity }: AdapterDeps,
): Adapter {
  return {
    ...NOTHING,
    async find(handle) {
      const payload = structuredTokens.find(kind, handle);
      const isRevoked = payload?.jti !== undefined && (await grants.isTokenRevoked(payload.jti));
      return isRevoked ? undefined : payload;
    },
    async destroy(tokenId) {
      const token = structuredTokens.byId(tokenId);
      // A token with a grant ends by ending the grant.
      if (token === undefined || token.grantId !== undefined) return;
      await changeIdentity(token.accountId, () => grants.revokeToken(tokenId, token.expiresAt));
    },
  };
}

const NOTHING: Adapter = {
  upsert: () => Promise.resolve(),
  find: () => Promise.resolve(),
  findByUid: () => Promise.resolve(),
  findByUserCode: () => Promise.resolve(),
  consume: () => Promise.resolve(),
  destroy: () => Promise.resolve(),
  revokeByGrantId: () => Promise.resolve(),
};

function withUse(found: Artifact | undefined): AdapterPayload | undefined {
  if (found?.consumedAt === undefined) return found?.payload;
  return { ...found.payload, consumed: found.consumedAt.getTime() / 1000 };
}

/** Reports an unavailable database as such. */
function guarded(adapter: Adapter): Adapter {
  return {
    upsert: (...args) => orUnavailable(() => adapter.upsert(...args)),
    find: (...args) => orUnavailable(() => adapter.find(...args)),
    findByUid: (...args) => orUnavailable(() => adapter.findByUid(...args)),
    findByUserCode: (...args) => orUnavailable(() => adapter.findByUserCode(...args)),
    consume: (...args) => orUnavailable(() => adapter.consume(...args)),
    destroy: (...args) => orUnavailable(() => adapter.destroy(...args)),
    revokeByGrantId: (...args) => orUnavailable(() => adapter.revokeByGrantId(...args)),
  };
}
