import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { deserialize, serialize } from 'bson';
import type { BsonDocument } from '../wire.ts';

/** Number of a connection's first request; later requests count on from it. */
const FIRST = 1;
const PREFIX_BYTES = 21;

/** A server's message: the reply to the request with that number. */
export function reply(
  requestId: number,
  body: BsonDocument | Buffer,
  members: { opCode?: number; flags?: number } = {},
): Buffer {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(serialize(body));
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeInt32LE(prefix.length + bytes.length, 0);
  prefix.writeInt32LE(requestId, 8);
  prefix.writeInt32LE(members.opCode ?? 2013, 12);
  prefix.writeUInt32LE(members.flags ?? 0, 16);
  return Buffer.concat([prefix, bytes]);
}

/** The `hello` of a server that accepts writes. */
export const HELLO = { ok: 1, isWritablePrimary: true, maxWireVersion: 17 };

/** The messages of an honest server without logins to a client that searches, in order. */
export const HONEST: readonly Buffer[] = [
  reply(FIRST, HELLO),
  reply(FIRST + 1, { ok: 1, cursor: { id: 0, ns: 'd.c', firstBatch: [{ _id: 1, a: 'x' }] } }),
];

/** An answer of a fake server; a function gets the client's command and writes the answer itself. */
export type FakeAnswer = Buffer | ((socket: Socket, command: BsonDocument) => void);

/** A running fake server. */
export interface FakeServer {
  readonly port: number;
  /** Number of connections so far. */
  connections(): number;
  close(): Promise<void>;
}

/**
 * Starts a MongoDB server without data on a free loopback port. Each message of a client gets the next of the answers for its connection.
 */
export async function startFakeServer(answersOf: () => readonly FakeAnswer[]): Promise<FakeServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    const answers = [...answersOf()];
    socket.on('data', (message: Buffer) => {
      const answer = answers.shift();
      if (answer === undefined) socket.end();
      else if (typeof answer === 'function') answer(socket, deserialize(message.subarray(PREFIX_BYTES)));
      else socket.write(answer);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    port: address.port,
    connections: () => connections,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
