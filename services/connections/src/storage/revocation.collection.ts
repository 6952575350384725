import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import { dueIndex } from '@fairlead/service-kit/sweep/claims';
import type { Due } from '@fairlead/service-kit/sweep/claims';
import { REVOKED_WITHIN_MS } from '../domain/revocation.ts';
import type { DueRevocation } from '../ports/revocation-store.ts';
import type { ConnectionDocument } from './connection.collection.ts';

/** The grant of a deleted connection that is to be revoked at its vendor. */
export interface RevocationDocument extends DueRevocation {
  /**
   * The connection as it was deleted, without whose it was and what people wrote about it; its fields stay, because the
   * vendor's addresses may hold them. Its sealed values stay bound to the connection: its id is never used again, so that
   * they open here only.
   */
  readonly connection: ConnectionDocument;
  readonly due: Due | null;
}

/** Where a document says when its grant is revoked. */
export const REVOCATION_PATH = 'due';

/** What is left of an account that is erased at that moment ends with the last index; otherwise revocations end themselves. */
export const revocationCollection = defineCollection<RevocationDocument>({
  name: 'revocations',
  indexes: [
    dueIndex(REVOCATION_PATH),
    { key: { accountId: 1 }, name: 'of_an_account' },
    { key: { requestedAt: 1 }, name: 'clear_away', expireAfterSeconds: (2 * REVOKED_WITHIN_MS) / 1000 },
  ],
});

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
      endUserId: null,
      connectionName: '',
      description: null,
      metadata: '{}',
      fieldOptions: '{}',
      refusalReason: null,
      credential: { ...credential, renewal: null },
    },
    due: {
      lane: credential.renewal?.lane ?? applicationSlug,
      at: leaseEnd > now ? leaseEnd : now,
      claim: null,
    },
  };
}
