import type { Clock } from '@fairlead/service-kit/clock';
import { errors } from 'oidc-provider';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { Revocations } from '../revocation.ts';
import type { Artifact, ArtifactStore } from '../../ports/artifact-store.ts';
import type { ClientStore } from '../../ports/client-store.ts';
import type { GrantOwner, GrantStore } from '../../ports/grant-store.ts';
import type { SignInEnds } from '../../ports/sign-in-ends.ts';
import type { AccessTokenKind, StructuredTokens } from './structured-tokens.ts';
import { orUnavailable } from './unavailable.ts';

/** The dependencies of the library's storage. */
export interface AdapterDeps {
  readonly artifacts: ArtifactStore;
  readonly grants: GrantStore;
  readonly clients: ClientStore;
  readonly revocations: Revocations;
  readonly signInEnds: Pick<SignInEnds, 'isOver'>;
  readonly structuredTokens: StructuredTokens;
  /** The account of a user; undefined if the user may no longer act. */
  readonly accountOf: (userId: string) => Promise<string | undefined>;
  readonly onGrantEnded: (grantId: string, owner: GrantOwner) => Promise<void>;
  readonly onClientRegistered: (clientId: string, metadata: AdapterPayload) => Promise<void>;
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

/** Codes, sessions and interactions: used up once. */
function artifactAdapter(kind: string, { artifacts, accountOf }: AdapterDeps): Adapter {
  return {
    async upsert(id, payload, lifetimeSeconds = 0) {
      const { accountId: userId } = payload;
      const accountId = userId === undefined ? undefined : await accountOf(userId);
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
    revokeByGrantId: (grantId) => artifacts.removeOfGrant(grantId),
  };
}

/** A session that has ended, alone or with all of its user's sign-ins, stays ended although a concurrent request may write it again. */
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

/** A refresh token may be reused within the grace period, for clients that race themselves. Later reuse ends its family. */
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
  };
}

function grantAdapter({
  grants,
  clients,
  revocations,
  accountOf,
  onGrantEnded,
  clock,
}: AdapterDeps): Adapter {
  return {
    ...NOTHING,
    async upsert(id, payload, lifetimeSeconds = 0) {
      const { accountId: userId, clientId } = payload;
      const accountId = userId === undefined ? undefined : await accountOf(userId);
      if (userId === undefined || clientId === undefined || accountId === undefined) {
        throw new errors.AccessDenied('the user may not act in an account');
      }
      await grants.put({ id, owner: { accountId, userId, clientId }, payload, lifetimeSeconds });
      await clients.noteGrant(clientId, new Date(clock.now().getTime() + lifetimeSeconds * 1000));
    },
    find: async (id) => (await grants.find(id))?.payload,
    async destroy(id) {
      const owner = await revocations.endGrant(id);
      if (owner !== undefined) await onGrantEnded(id, owner);
    },
  };
}

function clientAdapter({ clients, onClientRegistered }: AdapterDeps): Adapter {
  return {
    ...NOTHING,
    // Only dynamic registration stores clients through the library.
    async upsert(id, payload) {
      await clients.insertRegistered(id, payload);
      await onClientRegistered(id, payload);
    },
    find: (id) => clients.findMetadata(id),
  };
}

/** Access tokens are JWTs and not stored; only those being introspected or revoked are found. */
function accessTokenAdapter(
  kind: AccessTokenKind,
  { structuredTokens, grants, revocations }: AdapterDeps,
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
      // A token with a grant ends with the grant.
      if (token?.grantId === undefined && token !== undefined)
        await revocations.endToken(token.accountId, tokenId, token.expiresAt);
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
