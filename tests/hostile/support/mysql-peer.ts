import {
  damagedConversation,
  SERVER_ATTACKS,
  SLOW_SERVERS,
} from '@fairlead/connectors/mysql/testing/attacks';
import { startFakeServer } from '@fairlead/connectors/mysql/testing/fake-server';
import { databasePeer } from './database-peer.ts';

/** MySQL servers, one per attack. */
export const openMysqlPeer = databasePeer({
  applicationSlug: 'mysql',
  login: { database: 'd', user: 'u', password: 'p' },
  call: { toolSlug: 'mysql-execute-statement', fields: { sql: 'SELECT 1' } },
  attacks: SERVER_ATTACKS,
  slowServers: SLOW_SERVERS,
  conversations: damagedConversation,
  startServer: startFakeServer,
});
