import { SERVER_ATTACKS, SLOW_SERVERS } from '@fairlead/connectors/postgresql/testing/attacks';
import { damagedConversation } from '@fairlead/connectors/postgresql/testing/conversations';
import { startFakeServer } from '@fairlead/connectors/postgresql/testing/fake-server';
import type { FakeServer } from '@fairlead/connectors/postgresql/testing/fake-server';
import { generated } from '@fairlead/connector-runtime/testing/damaged-messages';
import type { Attack, ConnectionBody, OpenPeer } from './peer.ts';

const call = { toolSlug: 'postgresql-run-query', fields: { sql: 'SELECT 1' } };

/** PostgreSQL servers, one per attack. */
export const openPostgresPeer: OpenPeer = async ({ seed }) => {
  const servers: FakeServer[] = [];
  const start = async (answers: Parameters<typeof startFakeServer>[0]): Promise<ConnectionBody> => {
    const server = await startFakeServer(answers);
    servers.push(server);
    const fields = { host: '127.0.0.1', port: server.port, database: 'd', user: 'u', password: 'p' };
    return { applicationSlug: 'postgresql', fields: { ...fields, sslMode: 'disable' } };
  };
  const attacks: Attack[] = [];
  for (const attack of [...SERVER_ATTACKS, ...SLOW_SERVERS]) {
    attacks.push({
      name: attack.name,
      connection: await start(attack.answers),
      execution: { call, fails: attack.says },
      ...(attack.stage === 'login' && { test: { fails: attack.says } }),
      isSlow: SLOW_SERVERS.includes(attack),
    });
  }
  let next = seed;
  return {
    attacks,
    conversations: {
      connection: await start(() => generated(damagedConversation, next++)),
      call: () => call,
    },
    close: async () => {
      for (const server of servers) await server.close();
    },
  };
};
