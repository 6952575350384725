import {
  damagedConversation,
  SERVER_ATTACKS,
  SLOW_SERVERS,
} from '@fairlead/connectors/mongodb/testing/attacks';
import { startFakeServer } from '@fairlead/connectors/mongodb/testing/fake-server';
import { databasePeer } from './database-peer.ts';

/** MongoDB servers without logins, one per attack. */
export const openMongodbPeer = databasePeer({
  applicationSlug: 'mongodb',
  login: { database: 'd' },
  call: { toolSlug: 'mongodb-find-documents', fields: { collection: 'c' } },
  attacks: SERVER_ATTACKS,
  slowServers: SLOW_SERVERS,
  conversations: damagedConversation,
  startServer: startFakeServer,
});
