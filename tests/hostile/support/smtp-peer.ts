import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { damagedMessages, generated } from '@fairlead/connector-runtime/testing/damaged-messages';
import type { Attack, ConnectionBody, OpenPeer } from './peer.ts';

const call = { toolSlug: 'smtp-send-email', fields: { to: ['ada@a.test'], subject: 'x', text: 'y' } };
/** Answers of an honest server: the greeting, then one for each command of a client that logs in and sends a message. */
const HONEST = [
  '220 x ESMTP',
  '250-x\r\n250 AUTH PLAIN',
  '235 in',
  '250 from',
  '250 to',
  '354 go',
  '250 sent',
].map((line) => Buffer.from(`${line}\r\n`));
const damaged = damagedMessages(HONEST);

type Answer = Buffer | ((socket: Socket) => void);

const flood = (socket: Socket): void => {
  const block = Buffer.from('250-more of the same\r\n'.repeat(1000));
  const write = (): void => {
    while (!socket.destroyed && socket.write(block));
  };
  socket.on('drain', write);
  write();
};

const ATTACKS: readonly {
  readonly name: string;
  readonly answers: readonly Answer[];
  readonly says?: string;
}[] = [
  { name: 'closes', answers: [], says: 'closed' },
  { name: 'is-no-mail-server', answers: [Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')] },
  { name: 'refuses', answers: [...HONEST.slice(0, 2), Buffer.from('535 Go away\r\n')], says: 'Go away' },
  { name: 'closes-later', answers: HONEST.slice(0, 2), says: 'closed' },
  { name: 'floods', answers: [...HONEST.slice(0, 1), flood] },
];

/** Mail servers, one per attack. */
export const openSmtpPeer: OpenPeer = async ({ seed }) => {
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  const start = async (answersOf: () => readonly Answer[]): Promise<ConnectionBody> => {
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
      const answers = [...answersOf()];
      const next = (): void => {
        const answer = answers.shift();
        if (answer === undefined) socket.end();
        else if (typeof answer === 'function') answer(socket);
        else socket.write(answer);
      };
      socket.on('data', next);
      next();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push(server);
    const address = server.address();
    const port = address === null || typeof address === 'string' ? 0 : address.port;
    const login = { user: 'u', password: 'p', from: 'b@b.test' };
    return { applicationSlug: 'smtp', fields: { host: '127.0.0.1', port, security: 'none', ...login } };
  };
  const attacks: Attack[] = [];
  for (const { name, answers, says } of ATTACKS) {
    const fails = says ?? '';
    attacks.push({
      name,
      connection: await start(() => answers),
      execution: { call, fails },
      test: { fails },
      isSlow: false,
    });
  }
  attacks.push({
    name: 'says-nothing',
    connection: await start(() => [() => undefined]),
    execution: { call, fails: 'did not respond within' },
    test: { fails: 'did not respond within' },
    isSlow: true,
  });
  let next = seed;
  return {
    attacks,
    conversations: { connection: await start(() => generated(damaged, next++)), call: () => call },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      for (const server of servers) await new Promise((resolve) => server.close(resolve));
    },
  };
};
