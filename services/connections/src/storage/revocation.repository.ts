import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { RevocationStore } from '../ports/revocation-store.ts';
import type { CredentialVault } from './credential-vault.ts';
import { openConnection } from './credential.repository.ts';
import { revocationCollection } from './revocation.collection.ts';

/** The grants to revoke in MongoDB; `vault` opens their credentials. */
export function createRevocationRepository(store: MongoStore, vault: CredentialVault): RevocationStore {
  const revocations = store.collection(revocationCollection);
  return {
    async open(ctx, accountId, connectionId) {
      const document = await revocations.findOne({ accountId, _id: connectionId }, operationOptions(ctx));
      return document === null
        ? undefined
        : await openConnection(vault, ctx, document.connection, 'revocation');
    },
    async remove(ctx, accountId, connectionId) {
      await revocations.deleteOne({ accountId, _id: connectionId }, operationOptions(ctx));
    },
  };
}
