import { guid } from '@fairlead/service-kit/ids';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import { Secret } from '@fairlead/service-kit/secret';
import type { RegisteredClientStore } from '../ports/registered-client-store.ts';
import { recordOpening } from './credential-openings.ts';
import { recordOf } from './credential-vault.ts';
import type { CredentialVault } from './credential-vault.ts';
import { registeredClientCollection } from './registered-client.collection.ts';

const CLIENTS = 'registered_clients';

/** The registered clients in MongoDB; `vault` seals their secrets. */
export function createRegisteredClientRepository(
  store: MongoStore,
  vault: CredentialVault,
): RegisteredClientStore {
  const clients = store.collection(registeredClientCollection);
  return {
    async find(ctx, accountId, { issuer, redirectUri }, now) {
      const document = await clients.findOne({ accountId, issuer }, operationOptions(ctx));
      if (document === null || document.redirectUri !== redirectUri) return undefined;
      if (document.expiresAt !== null && document.expiresAt <= now) return undefined;
      const { _id, secret, clientId, clientAuthentication, expiresAt, savedAt } = document;
      const opened =
        secret === null
          ? undefined
          : await recordOpening(ctx, { purpose: 'signIn', accountId }, () =>
              vault.openText(recordOf(CLIENTS, accountId, _id), 'clientSecret', secret),
            );
      return { clientId, clientAuthentication, expiresAt, savedAt, clientSecret: opened?.reveal() ?? '' };
    },

    async save(ctx, accountId, { issuer, redirectUri }, { client, now }) {
      const { clientSecret, ...same } = client;
      // Sealed values are bound to one record, so the former client's record is removed with its secret.
      const _id = guid();
      const secret =
        clientSecret === ''
          ? null
          : await vault.sealText(recordOf(CLIENTS, accountId, _id), 'clientSecret', new Secret(clientSecret));
      const document = { _id, accountId, issuer, redirectUri, ...same, secret, savedAt: now };
      await store.withTransaction(async (session) => {
        const options = { ...operationOptions(ctx), session };
        await clients.deleteOne({ accountId, issuer }, options);
        await clients.insertOne(document, options);
      });
    },

    async forget(ctx, accountId, issuer, clientId) {
      await clients.deleteOne({ accountId, issuer, clientId }, operationOptions(ctx));
    },
  };
}
