import type { Clock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { AdapterPayload } from 'oidc-provider';
import type { GrantStore } from '../ports/grant-store.ts';
import { oauthClientCollection } from './oauth-client.collection.ts';
import { oauthGrantCollection } from './oauth-grant.collection.ts';
import { OPERATION_LIMIT } from './operation-limit.ts';
import { revokedTokenCollection } from './revoked-token.collection.ts';

/** The repository on `store`, whose collections hold oauthGrantCollection, oauthClientCollection and revokedTokenCollection. */
export function grantRepository(o: { readonly store: MongoStore; readonly clock: Clock }): GrantStore {
  const grants = o.store.collection(oauthGrantCollection);
  const clients = o.store.collection(oauthClientCollection);
  const revoked = o.store.collection(revokedTokenCollection);
  const isTokenRevoked = async (tokenId: string): Promise<boolean> =>
    (await revoked.findOne({ _id: tokenId }, { projection: { _id: 1 }, ...OPERATION_LIMIT })) !== null;
  return {
    async put({ id, owner, payload, lifetimeSeconds }) {
      const now = o.clock.now();
      const expiresAt = new Date(now.getTime() + lifetimeSeconds * 1000);
      await grants.updateOne(
        { _id: id },
        { $set: { ...owner, payload: JSON.stringify(payload), expiresAt }, $setOnInsert: { createdAt: now } },
        { upsert: true, ...OPERATION_LIMIT },
      );
    },
    async find(id) {
      const grant = await grants.findOne({ _id: id, expiresAt: { $gt: o.clock.now() } }, OPERATION_LIMIT);
      if (grant === null) return undefined;
      const { accountId, userId, clientId } = grant;
      // What `put` was given.
      return { owner: { accountId, userId, clientId }, payload: JSON.parse(grant.payload) as AdapterPayload };
    },
    async remove(id) {
      await grants.deleteOne({ _id: id }, OPERATION_LIMIT);
    },
    async idsOf(owner) {
      const found = await grants.find(owner, { projection: { _id: 1 }, ...OPERATION_LIMIT }).toArray();
      return found.map(({ _id }) => _id);
    },
    async removeOf(owner) {
      await grants.deleteMany(owner, OPERATION_LIMIT);
    },
    async revokeToken(tokenId, expiresAt) {
      await revoked.updateOne(
        { _id: tokenId },
        { $set: { expiresAt } },
        { upsert: true, ...OPERATION_LIMIT },
      );
    },
    async findClientToken(clientId, tokenId) {
      const [client, isRevoked] = await Promise.all([
        clients.findOne({ _id: clientId, kind: 'account' }, OPERATION_LIMIT),
        isTokenRevoked(tokenId),
      ]);
      return client?.kind !== 'account' || isRevoked ? undefined : { accountId: client.accountId };
    },
    isTokenRevoked,
  };
}
