import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { Filter } from 'mongodb';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { RevocationStore } from '../ports/revocation-store.ts';
import type { CredentialVault } from './credential-vault.ts';
import { openConnection } from './credential.repository.ts';
import type { ConnectionDocument } from './connection.collection.ts';
import { connectionCollection } from './connection.collection.ts';
import { revocationCollection } from './revocation.collection.ts';

/** The grants to revoke in MongoDB; `vault` opens their credentials. */
export function createRevocationRepository(store: MongoStore, vault: CredentialVault): RevocationStore {
  const revocations = store.collection(revocationCollection);
  const connections = store.collection(connectionCollection);
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
      await revocations.deleteOne({ accountId, _id: connectionId }, operationOptions(ctx));
    },
  };
}
