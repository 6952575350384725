import type { AccountData } from '@fairlead/service-kit/account-data';
import { eraseDocuments, readNewestFirst } from '@fairlead/service-kit/account-data';
import { changeCollection } from '@fairlead/service-kit/changes/change.collection';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { creationLockCollection } from '@fairlead/service-kit/mongo/creation-locks';
import type { Sealer } from '@fairlead/sealing/sealing';
import { shownFields } from '../domain/connection.ts';
import { authProviderCollection, retiredAuthProviderCollection } from './auth-provider.collection.ts';
import { toAuthProvider } from './auth-provider.repository.ts';
import { toConnection } from './connection-mapping.ts';
import { connectionCountCollection } from './connection-count.collection.ts';
import { connectSessionCollection } from './connect-session.collection.ts';
import { toConnectSession } from './connect-session.repository.ts';
import { connectionCollection } from './connection.collection.ts';
import { endUserCollection } from './end-user.collection.ts';
import type { ErasedGrants } from './erased-grants.ts';
import { registeredClientCollection } from './registered-client.collection.ts';
import { signInCollection } from './sign-in.collection.ts';

/**
 * All data of an account that this service stores. Not exported, but erased: sign-ins, which expire within minutes; registered clients,
 * which belong to Fairlead; deleted auth providers and grants that wait for revocation, for two days at most; change records and end users'
 * records, which repeat facts of connections. A connect session is exported without its token. An erasure leaves grants to be revoked,
 * without the account's name.
 */
export function createAccountData(
  store: MongoStore,
  sealer: Pick<Sealer, 'shred'>,
  grants: ErasedGrants,
): AccountData {
  const connections = store.collection(connectionCollection);
  const counts = store.collection(connectionCountCollection);
  const authProviders = store.collection(authProviderCollection);
  const retiredProviders = store.collection(retiredAuthProviderCollection);
  const signIns = store.collection(signInCollection);
  const registeredClients = store.collection(registeredClientCollection);
  const connectSessions = store.collection(connectSessionCollection);
  const endUsers = store.collection(endUserCollection);
  const creationLocks = store.collection(creationLockCollection);
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
              credentialRevision: _counted,
              addressRevision: _compared,
              server: _discovered,
              mcpTools: _read,
              ...connection
            } = toConnection(document);
            yield { position, record: { ...connection, fields: shownFields(connection) } };
          }
        },
      },
      {
        collection: 'authProviders',
        async *read(ctx, accountId, after) {
          for await (const { position, document } of readNewestFirst(authProviders, ctx, accountId, after)) {
            const { accountId: _same, addressRevision: _internal, ...provider } = toAuthProvider(document);
            yield { position, record: provider };
          }
        },
      },
      {
        collection: 'connectSessions',
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
      // First re-seals everything that revoking the grants needs.
      if (!(await grants.detach(ctx, accountId))) return false;
      await sealer.shred(accountId);
      const areSignInsGone = await eraseDocuments(signIns, ctx, { accountId });
      const areSessionsGone = await eraseDocuments(connectSessions, ctx, { accountId });
      const areCountsGone = await eraseDocuments(counts, ctx, { accountId });
      const areProvidersGone = await eraseDocuments(authProviders, ctx, { accountId });
      const areRetiredGone = await eraseDocuments(retiredProviders, ctx, { accountId });
      const areClientsGone = await eraseDocuments(registeredClients, ctx, { accountId });
      const areEndUsersGone = await eraseDocuments(endUsers, ctx, { accountId });
      const areLocksGone = await eraseDocuments(creationLocks, ctx, { accountId });
      const areChangesGone = await eraseDocuments(changes, ctx, { accountId });
      return [
        areSignInsGone,
        areSessionsGone,
        areCountsGone,
        areProvidersGone,
        areRetiredGone,
        areClientsGone,
        areEndUsersGone,
        areLocksGone,
        areChangesGone,
      ].every(Boolean);
    },
  };
}
