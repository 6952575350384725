import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { Filter } from 'mongodb';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { Sealer } from '@fairlead/sealing/sealing';
import { isErasedAlias } from '../domain/revocation.ts';
import type { RevocationStore } from '../ports/revocation-store.ts';
import type { CredentialVault } from './credential-vault.ts';
import { openConnection } from './credential.repository.ts';
import type { ConnectionDocument } from './connection.collection.ts';
import { connectionCollection } from './connection.collection.ts';
import { retiredAuthProviderCollection } from './auth-provider.collection.ts';
import { revocationCollection } from './revocation.collection.ts';

/**
 * Revocations in MongoDB; `vault` opens their credentials. The last one of an erased account's alias removes all data of the alias, its
 * data key included.
 */
export function createRevocationRepository(
  store: MongoStore,
  vault: CredentialVault,
  sealer: Pick<Sealer, 'shred'>,
): RevocationStore {
  const revocations = store.collection(revocationCollection);
  const connections = store.collection(connectionCollection);
  const retiredProviders = store.collection(retiredAuthProviderCollection);
  return {
    async open(ctx, accountId, connectionId) {
      const document = await revocations.findOne({ accountId, _id: connectionId }, operationOptions(ctx));
      return document === null
        ? undefined
        : await openConnection(vault, ctx, document.connection, 'revocation');
    },
    async hasSibling(ctx, connection) {
      const { accountId, endUserId, applicationSlug, kind, server, authenticationId, authProviderId } =
        connection;
      const alike = {
        authenticationId,
        authProviderId,
        grant: 'authorizationCode',
        needsReauthentication: false,
      } as const;
      const filter: Filter<ConnectionDocument> =
        server === undefined || server === null
          ? { accountId, endUserId, applicationSlug, ...alike }
          : {
              accountId,
              kind,
              endUserId,
              'server.issuer': server.issuer,
              'server.clientId': server.clientId,
              ...alike,
            };
      const options = { ...operationOptions(ctx), projection: { _id: 1 } };
      return (await connections.findOne(filter, options)) !== null;
    },
    async remove(ctx, accountId, connectionId) {
      const options = operationOptions(ctx);
      await revocations.deleteOne({ accountId, _id: connectionId }, options);
      if (!isErasedAlias(accountId)) return;
      const left = await revocations.findOne({ accountId }, { ...options, projection: { _id: 1 } });
      if (left !== null) return;
      await retiredProviders.deleteMany({ accountId }, options);
      await sealer.shred(accountId);
    },
  };
}
