import type { AccountData } from '@fairlead/service-kit/account-data';
import { eraseDocuments, readNewestFirst } from '@fairlead/service-kit/account-data';
import { changeCollection } from '@fairlead/service-kit/changes/change.collection';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { Sealer } from '@fairlead/service-kit/sealing/sealing';
import { shownFields } from '../domain/connection.ts';
import { authProviderCollection, retiredAuthProviderCollection } from './auth-provider.collection.ts';
import { toAuthProvider } from './auth-provider.repository.ts';
import { toConnection } from './connection-mapping.ts';
import { connectionCountCollection } from './connection-count.collection.ts';
import { connectSessionCollection } from './connect-session.collection.ts';
import { toConnectSession } from './connect-session.repository.ts';
import { connectionCollection } from './connection.collection.ts';
import { endUserCollection } from './end-user.collection.ts';
import { registeredClientCollection } from './registered-client.collection.ts';
import { revocationCollection } from './revocation.collection.ts';
import { signInCollection } from './sign-in.collection.ts';

/**
 * All data of an account that this service stores. Sign-ins, registered clients, change records and the records of end users
 * are erased but not exported: a sign-in expires within minutes and holds only what is needed to complete it; a registered
 * client is one of Fairlead; an auth provider that is deleted, and grants, wait for revocations for two days at most; the others repeat what connections say. Of a connect session everything is exported but what
 * opens it.
 */
export function createAccountData(store: MongoStore, sealer: Pick<Sealer, 'shred'>): AccountData {
  const connections = store.collection(connectionCollection);
  const counts = store.collection(connectionCountCollection);
  const authProviders = store.collection(authProviderCollection);
  const retiredProviders = store.collection(retiredAuthProviderCollection);
  const signIns = store.collection(signInCollection);
  const registeredClients = store.collection(registeredClientCollection);
  const revocations = store.collection(revocationCollection);
  const connectSessions = store.collection(connectSessionCollection);
  const endUsers = store.collection(endUserCollection);
  const changes = store.collection(changeCollection);
  return {
    exports: [
      {
        collection: 'connections',
        async *read(ctx, accountId, after) {
          for await (const { position, document } of readNewestFirst(connections, ctx, accountId, after)) {
            const {
              accountId: _same,
              credentialVersion: _internal,
              server: _discovered,
              mcpTools: _read,
              ...connection
            } = toConnection(document);
            yield { position, record: { ...connection, fields: shownFields(connection) } };
          }
        },
      },
      {
        collection: 'auth_providers',
        async *read(ctx, accountId, after) {
          for await (const { position, document } of readNewestFirst(authProviders, ctx, accountId, after)) {
            const { accountId: _same, ...provider } = toAuthProvider(document);
            yield { position, record: provider };
          }
        },
      },
      {
        collection: 'connect_sessions',
        async *read(ctx, accountId, after) {
          for await (const { position, document } of readNewestFirst(
            connectSessions,
            ctx,
            accountId,
            after,
          )) {
            const { accountId: _same, ...session } = toConnectSession(document);
            yield { position, record: session };
          }
        },
      },
    ],
    async erase(ctx, accountId) {
      await sealer.shred(accountId);
      const areSignInsGone = await eraseDocuments(signIns, ctx, { accountId });
      const areSessionsGone = await eraseDocuments(connectSessions, ctx, { accountId });
      const areConnectionsGone = await eraseDocuments(connections, ctx, { accountId });
      const areCountsGone = await eraseDocuments(counts, ctx, { accountId });
      const areProvidersGone = await eraseDocuments(authProviders, ctx, { accountId });
      const areRetiredGone = await eraseDocuments(retiredProviders, ctx, { accountId });
      const areClientsGone = await eraseDocuments(registeredClients, ctx, { accountId });
      const areRevocationsGone = await eraseDocuments(revocations, ctx, { accountId });
      const areEndUsersGone = await eraseDocuments(endUsers, ctx, { accountId });
      const areChangesGone = await eraseDocuments(changes, ctx, { accountId });
      return [
        areSignInsGone,
        areSessionsGone,
        areConnectionsGone,
        areCountsGone,
        areProvidersGone,
        areRetiredGone,
        areClientsGone,
        areRevocationsGone,
        areEndUsersGone,
        areChangesGone,
      ].every(Boolean);
    },
  };
}
