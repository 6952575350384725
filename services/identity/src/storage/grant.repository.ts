import type { Clock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { AdapterPayload } from 'oidc-provider';
import type { GrantStore } from '../ports/grant-store.ts';
import type { RecordAuditEvent } from './audit-events.ts';
import { oauthArtifactCollection } from './oauth-artifact.collection.ts';
import { oauthGrantCollection } from './oauth-grant.collection.ts';
import { OPERATION_LIMIT } from './operation-limit.ts';
import { lockOpenAccount } from './people-transaction.ts';
import { revokedTokenCollection } from './revoked-token.collection.ts';

const REMOVED_A_ROUND = 1_000;

/** Grants and revoked tokens in the database. */
export function grantRepository(o: {
  readonly store: MongoStore;
  readonly recordEvent: RecordAuditEvent;
  readonly clock: Clock;
}): GrantStore {
  const { store } = o;
  const grants = store.collection(oauthGrantCollection);
  const artifacts = store.collection(oauthArtifactCollection);
  const revoked = store.collection(revokedTokenCollection);
  return {
    put({ id, owner, payload, lifetimeSeconds }, event) {
      const now = o.clock.now();
      const expiresAt = new Date(now.getTime() + lifetimeSeconds * 1000);
      return store.withTransaction(async (session) => {
        const options = { ...OPERATION_LIMIT, session };
        if (!(await lockOpenAccount(store, owner.accountId, options))) return false;
        await grants.updateOne(
          { _id: id },
          {
            $set: { ...owner, payload: JSON.stringify(payload), expiresAt },
            $setOnInsert: { createdAt: now },
          },
          { upsert: true, ...options },
        );
        await o.recordEvent(session, event);
        return true;
      });
    },
    async find(id) {
      const grant = await grants.findOne({ _id: id, expiresAt: { $gt: o.clock.now() } }, OPERATION_LIMIT);
      if (grant === null) return undefined;
      const { accountId, userId, clientId } = grant;
      // Validated: `put` serialized it.
      return { owner: { accountId, userId, clientId }, payload: JSON.parse(grant.payload) as AdapterPayload };
    },
    async remove(id, event) {
      await store.withTransaction(async (session) => {
        const { deletedCount } = await grants.deleteOne({ _id: id }, { ...OPERATION_LIMIT, session });
        // A grant that a concurrent request has removed already has its event.
        if (deletedCount > 0) await o.recordEvent(session, event);
      });
    },
    async removeOf(owner) {
      for (;;) {
        const ids = await grants
          .find(owner, { projection: { _id: 1 }, ...OPERATION_LIMIT })
          .limit(REMOVED_A_ROUND)
          .map(({ _id }) => _id)
          .toArray();
        if (ids.length === 0) return;
        // Grants first: without its grant a refresh token is worthless, even while it still exists.
        await grants.deleteMany({ _id: { $in: ids } }, OPERATION_LIMIT);
        await artifacts.deleteMany({ grantId: { $in: ids } }, OPERATION_LIMIT);
      }
    },
    async revokeToken(tokenId, expiresAt) {
      await revoked.updateOne(
        { _id: tokenId },
        { $set: { expiresAt } },
        { upsert: true, ...OPERATION_LIMIT },
      );
    },
    async isTokenRevoked(tokenId) {
      const options = { projection: { _id: 1 }, ...OPERATION_LIMIT };
      return (await revoked.findOne({ _id: tokenId }, options)) !== null;
    },
  };
}
