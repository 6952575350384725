import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';

/** A packet of the protocol: its length, its number and its content. */
export function packet(number: number, ...parts: readonly (Buffer | string | readonly number[])[]): Buffer {
  const content = Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))),
  );
  const header = Buffer.alloc(4);
  header.writeUIntLE(content.length, 0, 3);
  header[3] = number;
  return Buffer.concat([header, content]);
}

const text = (value: string): Buffer => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
const ok = (number: number): Buffer => packet(number, [0, 0, 0, 2, 0, 0, 0]);
const end = (number: number): Buffer => packet(number, [0xfe, 0, 0, 2, 0]);

const GREETING = packet(
  0,
  [10],
  '8.0.0\0',
  [1, 0, 0, 0],
  'abcdefgh\0',
  // Capabilities: protocol 4.1, long passwords, a database at login, transactions, secure connection, plugins.
  [0x09, 0xa2, 0x21, 0x02, 0x00, 0x08, 0x00, 21],
  Buffer.alloc(10),
  'abcdefghijkl\0',
  'mysql_native_password\0',
);
const COLUMN = [text('def'), text(''), text(''), text(''), text('n'), text('')];
const RESULT = Buffer.concat([
  packet(1, [1]),
  packet(2, ...COLUMN, [12, 0x21, 0, 20, 0, 0, 0, 3, 0x81, 0, 0, 0, 0]),
  end(3),
  packet(4, text('1')),
  end(5),
]);

/**
 * The packets of an honest server: the first one on connection, the others each after a packet of a client that logs in and runs `SELECT 1`
 * in a transaction.
 */
export const HONEST: readonly Buffer[] = [GREETING, ok(2), ok(1), ok(1), RESULT, ok(1)];

/** The answers of a fake server; a function writes its answer itself. */
export type FakeAnswers = readonly (Buffer | ((socket: Socket) => void))[];

/** A running fake server. */
export interface FakeServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Starts a MySQL server without data on a free loopback port; `answersOf` chooses the answers for each connection. */
export async function startFakeServer(answersOf: () => FakeAnswers): Promise<FakeServer> {
  const sockets = new Set<Socket>();
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
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    port: address.port,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
