import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';

/** Encodes a message of a PostgreSQL server. */
export function message(type: string, ...parts: readonly (string | number | Buffer)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (Buffer.isBuffer(part) ? part : encoded(part))));
  const header = Buffer.alloc(5);
  header.write(type, 0, 'latin1');
  header.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([header, body]);
}

/** A number of 16 bits. */
export function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

/** A text with its final zero, or a number of 32 bits. */
function encoded(part: string | number): Buffer {
  if (typeof part === 'string') return Buffer.from(`${part}\0`);
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(part);
  return bytes;
}

/** The description of a result whose columns have these names and one type. */
export function rowDescription(names: readonly string[], typeOid: number): Buffer {
  return message(
    'T',
    int16(names.length),
    ...names.flatMap((name) => [name, 0, int16(0), typeOid, int16(-1), -1, int16(0)]),
  );
}

/** A row of a result; null is the database's NULL. */
export function dataRow(values: readonly (string | null)[]): Buffer {
  const cells = values.flatMap((value) =>
    value === null ? [-1] : [Buffer.byteLength(value), Buffer.from(value)],
  );
  return message('D', int16(values.length), ...cells);
}

/** The end of a statement, followed by the signal that the server is ready for the next one. */
export const DONE = Buffer.concat([message('C', 'SELECT 1'), message('Z', Buffer.from('T'))]);
/** The end of a transaction. */
const ENDED = Buffer.concat([message('C', 'ROLLBACK'), message('Z', Buffer.from('I'))]);
/** The end of a statement that precedes the main statement. */
const PREPARED = message('C', 'BEGIN');
/** A login that needs no password. */
export const ACCEPTED = Buffer.concat([
  message('R', 0),
  message('S', 'server_version', '18'),
  message('K', 1, 2),
  message('Z', Buffer.from('I')),
]);

/** The answers of a fake server; a function writes its answer itself. */
export interface FakeAnswers {
  /** Answer to the start of the connection. */
  readonly login?: Buffer | ((socket: Socket) => void);
  /** Answer to each statement that begins a transaction in the extended protocol, to each setting, and to each guard. */
  readonly prepared?: Buffer;
  /** Answer to every other statement in the extended protocol. */
  readonly result?: Buffer | ((socket: Socket) => void);
  /** Sent after a reset of the session, while no call uses it. */
  readonly idle?: Buffer;
}

/** A running fake server. */
export interface FakeServer {
  readonly port: number;
  /** The bytes received on all connections, in the order of arrival. */
  received(): Buffer;
  close(): Promise<void>;
}

/** Starts a PostgreSQL server without data on a free loopback port; a function chooses the answers for each connection. */
export async function startFakeServer(answers: FakeAnswers | (() => FakeAnswers)): Promise<FakeServer> {
  const open = new Set<Socket>();
  const received: Buffer[] = [];
  // Like PostgreSQL, sends at once, without collecting more bytes.
  const server = createServer({ noDelay: true }, (socket) => {
    const given = typeof answers === 'function' ? answers() : answers;
    const { login = ACCEPTED, prepared = PREPARED, result = DONE, idle } = given;
    open.add(socket);
    // The client ends conversations abruptly.
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    socket.once('data', () => {
      send(socket, login);
      const read = messageReader((type, text) => {
        if (type === 'Q') {
          socket.write(/^(ROLLBACK|DISCARD)/.test(text) ? ENDED : DONE);
          if (idle !== undefined && text.startsWith('DISCARD')) setTimeout(() => socket.write(idle), 20);
        }
        // The statement's name comes first; it is empty.
        if (type === 'P' && /^\0(BEGIN|SET LOCAL|SELECT CAST)/.test(text)) socket.write(prepared);
        // The declaration of a cursor is only parsed.
        else if (type === 'P' && !text.startsWith('\0DECLARE')) send(socket, result);
      });
      socket.on('data', (data) => {
        received.push(data);
        read(data);
      });
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port.');
  return {
    port: address.port,
    received: () => Buffer.concat(received),
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Assembles the messages of a client and passes each on, with its content as text. */
function messageReader(onMessage: (type: string, text: string) => void): (data: Buffer) => void {
  let held: Buffer = Buffer.alloc(0);
  return (data) => {
    held = Buffer.concat([held, data]);
    while (held.length >= 5 && held.length > held.readUInt32BE(1)) {
      const end = 1 + held.readUInt32BE(1);
      const bytes = held.subarray(0, end);
      held = held.subarray(end);
      onMessage(bytes.toString('latin1', 0, 1), bytes.toString('utf8', 5));
    }
  };
}

function send(socket: Socket, answer: Buffer | ((socket: Socket) => void)): void {
  if (Buffer.isBuffer(answer)) socket.write(answer);
  else answer(socket);
}
