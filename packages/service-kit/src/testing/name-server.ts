import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { onTestFinished } from 'vitest';

/** The response of a name server: addresses, no such name, a failure, or none. */
export type NameAnswer =
  { readonly addresses: readonly string[]; readonly ttlSeconds: number } | 'missing' | 'failed' | 'silent';

/** A running name server and the received queries. */
export interface NameServer {
  /** The address in the form for a resolver. */
  readonly address: string;
  /** The names of queries for IPv4 addresses, in order. */
  readonly asked: readonly string[];
}

const TYPE_A = 1;
const TYPE_AAAA = 28;
const STATUS = { found: 0, failed: 2, missing: 3 };

/** Starts a name server on loopback, closed after the test. */
export async function startNameServer(answer: (name: string) => NameAnswer): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, type, question } = readQuestion(query);
    if (type === TYPE_A) asked.push(name);
    const reply = answer(name);
    if (reply !== 'silent') socket.send(respond(query, question, type, reply), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return { address: `127.0.0.1:${socket.address().port}`, asked };
}

function readQuestion(query: Buffer): { name: string; type: number; question: Buffer } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return {
    name: labels.join('.').toLowerCase(),
    type: query.readUInt16BE(at + 1),
    question: query.subarray(12, at + 5),
  };
}

function respond(
  query: Buffer,
  question: Buffer,
  type: number,
  reply: Exclude<NameAnswer, 'silent'>,
): Buffer {
  const family = type === TYPE_AAAA ? 6 : 4;
  const records =
    typeof reply === 'string'
      ? []
      : reply.addresses
          .filter((address) => isIP(address) === family)
          .map((address) => record(type, reply.ttlSeconds, address));
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  // A response with recursion.
  header.writeUInt16BE(0x8180 | (typeof reply === 'string' ? STATUS[reply] : STATUS.found), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, question, ...records]);
}

function record(type: number, ttlSeconds: number, address: string): Buffer {
  const data =
    type === TYPE_A
      ? Buffer.from(address.split('.').map(Number))
      : Buffer.from(
          address
            .split(':')
            .map((group) => group.padStart(4, '0'))
            .join(''),
          'hex',
        );
  const head = Buffer.alloc(12);
  // The name of the question.
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(ttlSeconds, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
