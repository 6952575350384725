import { generated } from '@fairlead/connector-runtime/testing/damaged-messages';
import type { Attack, ConnectionBody, OpenPeer, ToolCall } from './peer.ts';

/** A server that attacks a database connector's calls (see the connectors' `testing` folders). */
interface ServerAttack<A> {
  readonly name: string;
  readonly answers: A;
  readonly says: string;
  readonly stage: string;
}

interface FakeServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Opens fake servers of one kind of database, one per attack. `A` are the answers of one connection. */
export function databasePeer<A>(o: {
  readonly applicationSlug: string;
  /** Login of the connections, in addition to host and port. */
  readonly login: Readonly<Record<string, string>>;
  readonly call: ToolCall;
  readonly attacks: readonly ServerAttack<A>[];
  readonly slowServers: readonly ServerAttack<A>[];
  readonly conversations: Parameters<typeof generated<A>>[0];
  readonly startServer: (answersOf: () => A) => Promise<FakeServer>;
}): OpenPeer {
  return async ({ seed }) => {
    const { applicationSlug, call, login } = o;
    const servers: FakeServer[] = [];
    const start = async (answersOf: () => A): Promise<ConnectionBody> => {
      const server = await o.startServer(answersOf);
      servers.push(server);
      return {
        applicationSlug,
        fields: { host: '127.0.0.1', port: server.port, sslMode: 'disable', ...login },
      };
    };
    const attacks: Attack[] = [];
    for (const attack of [...o.attacks, ...o.slowServers]) {
      attacks.push({
        name: attack.name,
        connection: await start(() => attack.answers),
        execution: { call, fails: attack.says },
        ...(attack.stage === 'login' && { test: { fails: attack.says } }),
        isSlow: o.slowServers.includes(attack),
      });
    }
    let next = seed;
    return {
      attacks,
      conversations: {
        connection: await start(() => generated(o.conversations, next++)),
        call: () => call,
      },
      close: async () => {
        for (const server of servers) await server.close();
      },
    };
  };
}
