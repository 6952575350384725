import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { Sealed } from '@fairlead/sealing/sealed-value';
import { dueIndex } from '@fairlead/service-kit/sweep/claims';
import type { Due } from '@fairlead/service-kit/sweep/claims';
import { REVOKED_WITHIN_MS } from '../domain/revocation.ts';
import type { SignInHead } from '../domain/sign-in.ts';
import type { DueRevocation } from '../ports/revocation-store.ts';
import type { ConnectionDocument, SealedTokens } from './connection.collection.ts';

/** The grant of a deleted connection, or of a sign-in, that is to be revoked at its vendor. */
export interface RevocationDocument extends DueRevocation {
  /** The sign-in that a connection may still be made of, which removes this; absent: it is the grant of a deleted connection. */
  readonly signInState?: string;
  /**
   * The connection as it was deleted, or as the sign-in would have made it, without what people wrote about it; its fields stay,
   * because the vendor's addresses may hold them, and whose it is, because that person may have another one. Its sealed values stay bound to the connection: its id is never used again, so that
   * they open here only.
   */
  readonly connection: ConnectionDocument;
  readonly due: Due | null;
}

/** Where a document says when its grant is revoked. */
export const REVOCATION_PATH = 'due';

/** Revocations end themselves; the last index removes those that an erasure at the same moment leaves behind. */
export const revocationCollection = defineCollection<RevocationDocument>({
  name: 'revocations',
  indexes: [
    dueIndex(REVOCATION_PATH),
    { key: { accountId: 1 }, name: 'of_an_account' },
    {
      key: { accountId: 1, signInState: 1 },
      name: 'of_a_sign_in',
      unique: true,
      partialFilterExpression: { signInState: { $gt: '' } },
    },
    {
      key: { accountId: 1, 'connection.authProviderId': 1 },
      name: 'of_an_auth_provider',
      partialFilterExpression: { 'connection.authProviderId': { $gte: 1 } },
    },
    { key: { requestedAt: 1 }, name: 'clear_away', expireAfterSeconds: (2 * REVOKED_WITHIN_MS) / 1000 },
  ],
});

/** The members of a connection that a revocation does not need. */
const NOTHING_WRITTEN = {
  connectionName: '',
  description: null,
  metadata: '{}',
  fieldOptions: '{}',
  refusalReason: null,
} as const;

/** How long after a sign-in has expired its grant is revoked: clocks of replicas differ, and one may just make a connection of it. */
const SIGN_IN_MARGIN_MS = 60_000;

/** The revocation of the grant of a sign-in, unless a connection is made of it; `_id` is below 0. Its secrets are sealed for that id. */
export function revocationOfSignIn(
  {
    state,
    accountId,
    applicationSlug,
    applicationName,
    authenticationId,
    authProviderId,
    addressRevision,
    server,
  }: SignInHead,
  held: {
    readonly _id: number;
    readonly endUserId: string | null;
    readonly fields: string;
    readonly secrets: Sealed | null;
    readonly tokens: SealedTokens;
    readonly now: Date;
    readonly expiresAt: Date;
  },
): RevocationDocument {
  const { _id, endUserId, fields, secrets, tokens, now } = held;
  const at = new Date(held.expiresAt.getTime() + SIGN_IN_MARGIN_MS);
  return {
    _id,
    accountId,
    attempts: 0,
    requestedAt: at,
    signInState: state,
    connection: {
      ...NOTHING_WRITTEN,
      _id,
      accountId,
      endUserId,
      applicationSlug,
      applicationName,
      kind: server === undefined ? 'Regular' : 'MCPClient',
      authenticationId,
      authenticationName: '',
      authProviderId,
      ...(server !== undefined && { server }),
      isDefault: false,
      grant: 'authorizationCode',
      needsReauthentication: false,
      licence: { status: 'none', expiresAt: null },
      fields,
      secretFields: [],
      credential: { version: 1, addressRevision, secrets, tokens, lease: null, renewal: null },
      createdAt: now,
      updatedAt: now,
    },
    due: { lane: applicationSlug, at, claim: null },
  };
}

/**
 * The revocation to store when that connection is deleted at `now`; undefined: it has no grant. It waits for a refresh that is
 * under way, at most until its lease ends, and keeps the lease: the holder adds the tokens that it is granted.
 */
export function revocationOf(document: ConnectionDocument, now: Date): RevocationDocument | undefined {
  const { _id, accountId, grant, applicationSlug, credential } = document;
  const leaseEnd = credential.lease?.expiresAt ?? now;
  if (grant !== 'authorizationCode' || credential.tokens === null) return undefined;
  return {
    _id,
    accountId,
    attempts: 0,
    requestedAt: now,
    connection: {
      ...document,
      ...NOTHING_WRITTEN,
      credential: { ...credential, renewal: null },
    },
    due: {
      lane: credential.renewal?.lane ?? applicationSlug,
      at: leaseEnd > now ? leaseEnd : now,
      claim: null,
    },
  };
}
