import { createPublicKey } from 'node:crypto';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { DEFAULT_LICENCE_VALUES, ROLE_VALUES } from '@fairlead/access/proto-enums';
import { PERMISSIONS, permissionsOf } from '@fairlead/access/permissions';
import { CredentialService } from '@fairlead/contracts/identity/v1/credential_service_pb';
import type {
  Member,
  ResolveKeysResponse_KeyOwner,
} from '@fairlead/contracts/identity/v1/credential_service_pb';
import { ApiError } from '@fairlead/errors/api-error';
import { createRequestContext } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { uuidv7 } from '@fairlead/service-kit/ids';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { presentBudgets, presentMaxConnections } from '@fairlead/rest-records/account';
import { inBatches } from './in-batches.ts';
import { nameOf } from '@fairlead/rest-records/enums';
import { required } from '@fairlead/rest-records/values';
import type { OwnedKey, Owner } from '../domain/owner.ts';
import type {
  AccountLookup,
  CredentialLookup,
  KeyUseStore,
  ListVerificationKeys,
  SignInLookup,
} from '../ports/credential-lookup.ts';

/** Lookups in identity that authentication needs. */
export interface IdentityClient extends CredentialLookup, AccountLookup, KeyUseStore, SignInLookup {
  readonly listVerificationKeys: ListVerificationKeys;
}

/** Timeout of one lookup. One request may need two: the key that verifies a token, then the token's owner. */
const LOOKUP_LIMIT_MS = 3_000;
/** The most keys of one lookup. */
const MAX_KEYS = 100;

/**
 * Calls identity on the platform's own behalf. Requests share a lookup, so it has a deadline of its own and outlives the
 * client that caused it.
 */
export function createIdentityClient(o: RpcClientOptions & { readonly log: Logger }): IdentityClient {
  const rpc = createRpcClient(CredentialService, { ...o, defaultTimeoutMs: LOOKUP_LIMIT_MS });
  const newContext = (): RequestContext =>
    createRequestContext({
      requestId: uuidv7(o.clock.now()),
      caller: { kind: 'service', service: 'gateway' },
      signal: new AbortController().signal,
      log: o.log,
    });
  const findKeys = inBatches(MAX_KEYS, async (hashes: readonly string[]) => {
    const { owners } = await orUnavailable(
      rpc.resolveKeys(newContext(), { hashes: [...hashes], takesRestrictions: true }),
    );
    return owners.map(toOwnedKey);
  });
  const resolve = async (references: readonly { accountId: string; userId?: string; keyId?: string }[]) =>
    (await orUnavailable(rpc.resolveAccounts(newContext(), { references: [...references] }))).members;
  return {
    findKey: findKeys,
    async findTokenOwner({ accountId, userId, clientId, tokenId, grantId }) {
      const claims = { accountId, userId, clientId, tokenId, ...(grantId !== undefined && { grantId }) };
      const { member } = await orUnavailable(rpc.resolveToken(newContext(), claims));
      return member && toOwner(member);
    },
    async findUser({ accountId, userId, keyId }) {
      const [member] = await resolve([{ accountId, userId, ...(keyId !== undefined && { keyId }) }]);
      return member?.account && member.user && toOwner(member);
    },
    async findSignedInUser(cookies) {
      const { member } = await orUnavailable(rpc.resolveSignIn(newContext(), { cookies }));
      return member && toOwner(member).member;
    },
    async areOpen(accountIds) {
      const members = await resolve(accountIds.map((accountId) => ({ accountId })));
      return members.map(({ account }) => account && account.erasingAt === undefined);
    },
    async findBudgets(accountId) {
      const [found] = await resolve([{ accountId }]);
      const { account } = found ?? {};
      return account === undefined || account.erasingAt !== undefined
        ? undefined
        : presentBudgets(account.budgets);
    },
    async findUserNames(accountId, userIds) {
      const members = await resolve(userIds.map((userId) => ({ accountId, userId })));
      return new Map(members.flatMap(({ user }) => (user === undefined ? [] : [[user.id, user.name]])));
    },
    async listVerificationKeys() {
      const { keys } = await orUnavailable(rpc.listVerificationKeys(newContext(), {}));
      return new Map(
        keys.map(({ kid, publicKey }) => [
          kid,
          createPublicKey({ key: Buffer.from(publicKey), format: 'der', type: 'spki' }),
        ]),
      );
    },
    async recordUses(uses) {
      const sent = [...uses].map(([keyId, at]) => ({ keyId, usedAt: timestampFromDate(at) }));
      await rpc.recordKeyUses(newContext(), { uses: sent });
    },
  };
}

/**
 * The response of a lookup. Every error becomes UNAVAILABLE: only the request that is being authenticated may be UNAUTHORIZED, never the
 * lookup itself.
 */
async function orUnavailable<T>(lookup: Promise<T>): Promise<T> {
  try {
    return await lookup;
  } catch (error) {
    if (!(error instanceof ApiError) || !['UNAVAILABLE', 'TIMEOUT'].includes(error.code))
      throw new Error('Identity refused a lookup.', { cause: error });
    const text = 'Credentials cannot be checked at the moment. Try again shortly.';
    throw new ApiError('UNAVAILABLE', text, { cause: error });
  }
}

function toOwnedKey(key: ResolveKeysResponse_KeyOwner): OwnedKey | undefined {
  const { member, keyId, expiresAt, scopes: kept, toolsetId } = key;
  if (member === undefined) return undefined;
  const owner = toOwner(member);
  const scopes = kept ? PERMISSIONS.filter((permission) => kept.names.includes(permission)) : null;
  const permissions = owner.member.permissions.filter((permission) => scopes?.includes(permission) ?? true);
  return {
    owner: { ...owner, member: { ...owner.member, permissions } },
    keyId,
    expiresAt: expiresAt ? timestampDate(expiresAt) : null,
    scopes,
    toolsetId: toolsetId ?? null,
  };
}

function toOwner(member: Member): Owner {
  const account = required(member.account);
  const user = required(member.user);
  const role = nameOf(ROLE_VALUES, user.role);
  return {
    member: {
      accountId: account.id,
      accountName: account.name,
      userId: user.id,
      userName: user.name,
      userEmail: user.email,
      roles: [role],
      permissions: permissionsOf(role, account.isRbacEnabled),
      budgets: presentBudgets(account.budgets),
      defaultLicence: nameOf(DEFAULT_LICENCE_VALUES, account.defaultLicence),
      maxConnectionsPerEndUser: presentMaxConnections(account),
    },
    isActive: user.isActive,
    isAccountOpen: account.erasingAt === undefined,
  };
}
