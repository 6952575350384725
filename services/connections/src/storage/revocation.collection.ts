import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { SealedValue } from '@fairlead/sealing/sealed-value';
import { dueIndex } from '@fairlead/service-kit/sweep/claims';
import type { DueState } from '@fairlead/service-kit/sweep/claims';
import { REVOKED_WITHIN_MS } from '../domain/revocation.ts';
import type { SignInHead } from '../domain/sign-in.ts';
import type { DueRevocation } from '../ports/revocation-store.ts';
import type { ConnectionDocument, SealedTokens } from './connection.collection.ts';

/** A grant to be revoked at its vendor, of a deleted connection or of a sign-in. */
export interface RevocationDocument extends DueRevocation {
  /** State of a sign-in from which a connection may still be created, which removes this document; absent: the connection was deleted. */
  readonly signInState?: string;
  /**
   * The deleted connection, or the one that the sign-in would have created, without people's descriptions. Its fields are kept, because the
   * vendor's addresses may contain them; so is its owner, who may have another connection. Sealed values stay bound to the connection's id,
   * which is never reused, so they can be opened only here.
   */
  readonly connection: ConnectionDocument;
  readonly due: DueState | null;
}

/** Path of the member that says when the grant is revoked. */
export const REVOCATION_PATH = 'due';

/** Revocations remove themselves; the last index removes those left by a concurrent erasure. */
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

/** How long after a sign-in's expiry its grant is revoked: clocks of replicas differ, and one may just be creating a connection. */
const SIGN_IN_MARGIN_MS = 60_000;

/** The revocation of a sign-in's grant, in case no connection is created; `_id` is negative, and the secrets are sealed for it. */
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
    readonly secrets: SealedValue | null;
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
 * The revocation to store when that connection is deleted at `now`; undefined: it has no grant. It waits for a refresh in progress, at most
 * until the lease ends. It keeps the lease, so that the holder can add the new tokens.
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
