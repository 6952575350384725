import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { damagedMessages, generated } from './damaged-messages.ts';

/** A hostile vendor whose response is chosen by the request, so one vendor serves all tests. */
export interface HostileVendor {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * A text that selects an attack wherever it occurs in a request; `name` is a key of VENDOR_ATTACKS, SLOW_VENDORS or
 * TOKEN_ATTACKS.
 */
export function attackMark(name: string): string {
  return `hostile-${name}-`;
}

/** A text that selects the response generated for this seed. */
export function conversationMark(seed: number): string {
  return attackMark(`seed-${seed}`);
}

/** An authorization code for tokens that expire at once; their renewal meets the attack of this name. */
export function renewalMark(name: string): string {
  return attackMark(`renew-${name}`);
}

type Answer = Buffer | ((socket: Socket) => void);

const MIB = 1024 * 1024;
/** Announces that the connection closes, so no client reuses it. */
const head = (headers: string, status = '200 OK'): Buffer =>
  Buffer.from(`HTTP/1.1 ${status}\r\nconnection: close\r\n${headers}\r\n`);
const chunked = head('content-type: application/json\r\ntransfer-encoding: chunked\r\n');
const json = (text: string, status?: string): Buffer =>
  Buffer.concat([
    head(`content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`, status),
    Buffer.from(text),
  ]);
const chunk = (text: string): Buffer => Buffer.from(`${text.length.toString(16)}\r\n${text}\r\n`);

/** A response, and a part of the error message of a call that meets it. */
interface VendorAttack {
  readonly answer: Answer;
  readonly says: string;
  /** The clients that fail: those that read the body, those that expect another answer, or none. Default: all. */
  readonly notices?: 'body' | 'meaning' | 'nobody';
  /** A part of the error message of calls that return any response; absent: they return this one. */
  readonly raw?: string;
}

/** Responses that violate the protocol, the limits, or a client's expectations. */
export const VENDOR_ATTACKS: Readonly<Record<string, VendorAttack>> = {
  'no-response': { answer: (socket) => socket.end(), says: 'closed the connection before' },
  'not-http': { answer: Buffer.from('220 mail.example ESMTP\r\n'.repeat(100)), says: 'not valid HTTP' },
  'bad-status': { answer: Buffer.from('HTTP/1.1 99999 \r\n\r\n'), says: 'not valid HTTP' },
  'two-lengths': {
    answer: head('content-length: 3\r\ncontent-length: 4\r\n'),
    says: 'closed the connection before',
  },
  'negative-length': { answer: head('content-length: -1\r\n'), says: 'not valid HTTP' },
  'huge-length': {
    answer: head(`content-length: ${2 ** 40}\r\n`),
    says: 'closed the connection before',
    notices: 'body',
  },
  'cut-body': {
    answer: (socket) => socket.end(head('content-length: 100\r\n')),
    says: 'closed the connection before',
    notices: 'body',
  },
  'bad-chunk': {
    answer: Buffer.concat([chunked, Buffer.from('zz\r\n')]),
    says: 'not valid HTTP',
    notices: 'body',
  },
  'endless-chunk-size': {
    answer: endless(chunked, Buffer.from('f'.repeat(1_000))),
    says: 'not valid HTTP',
    notices: 'body',
  },
  'many-headers': { answer: head('a: b\r\n'.repeat(6_000)), says: 'more than 1000 headers' },
  'endless-headers': {
    answer: endless(Buffer.from('HTTP/1.1 200 OK\r\n'), Buffer.from('a: b\r\n'.repeat(100))),
    says: 'more than 1000 headers',
  },
  'endless-header': {
    answer: endless(Buffer.from('HTTP/1.1 200 OK\r\na: '), Buffer.from('b'.repeat(1_000))),
    says: '16 KiB of headers',
  },
  'endless-hints': {
    answer: endless(Buffer.alloc(0), Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n')),
    says: 'more than 16 interim responses',
  },
  'endless-body': {
    answer: endless(chunked, chunk(' '.repeat(64 * 1024))),
    says: 'larger than',
    notices: 'body',
  },
  'endless-trailers': {
    answer: endless(Buffer.concat([chunked, Buffer.from('0\r\n')]), Buffer.from('a: b\r\n')),
    says: 'more than 8 KiB between two pieces',
    notices: 'body',
  },
  'packed-zeros': {
    answer: packed(gzipSync(Buffer.alloc(64 * MIB))),
    says: 'larger than',
    notices: 'meaning',
    raw: 'larger than 1 MiB',
  },
  'packed-garbage': {
    answer: packed(Buffer.from('no gzip')),
    says: 'cannot be decoded',
    notices: 'meaning',
    raw: 'cannot be decoded',
  },
  'deep-json': {
    answer: json(`${'['.repeat(5_000)}${']'.repeat(5_000)}`),
    says: 'deeper than 200 levels',
    notices: 'meaning',
    raw: 'deeper than 200 levels',
  },
  'wide-json': {
    answer: json(`[${'{},'.repeat(350_000)}1]`),
    says: 'more than 100000 JSON values',
    notices: 'meaning',
    raw: 'larger than 1 MiB',
  },
  'wide-object': {
    answer: json(`{${Array.from({ length: 150_000 }, (_member, at) => `"a${at}":1`).join()}}`),
    says: 'more than 10000 different names',
    notices: 'meaning',
    raw: 'larger than 1 MiB',
  },
  'broken-json': { answer: json('{"a":'), says: '', notices: 'nobody' },
  'large-error': {
    answer: json(`{"error":{"message":"${'x'.repeat(MIB)}"}}`, '400 Bad Request'),
    says: 'responded with 400',
    notices: 'meaning',
    raw: 'larger than 1 MiB',
  },
  'odd-error': {
    answer: json('{"error":{"message":{"a":[{}]}}}', '500 Internal Server Error'),
    says: 'responded with 500',
    notices: 'meaning',
  },
  'redirect-loop': {
    answer: head('location: /\r\ncontent-length: 0\r\n', '302 Found'),
    says: 'redirect',
    notices: 'meaning',
  },
  'wait-long': {
    answer: head('retry-after: 1e308\r\ncontent-length: 0\r\n', '429 Too Many Requests'),
    says: 'responded with 429',
    notices: 'meaning',
  },
};

/** Responses that keep a call waiting until its deadline. */
export const SLOW_VENDORS: Readonly<Record<string, Answer>> = {
  silence: () => undefined,
  'drip-headers': drip(Buffer.from('HTTP/1.1 200 OK\r\n'), Buffer.from('a: b\r\n')),
  'drip-body': drip(chunked, Buffer.from('1\r\n \r\n')),
};

const token = (members: Readonly<Record<string, unknown>>): Answer =>
  json(JSON.stringify({ access_token: 'x', token_type: 'Bearer', expires_in: 3_600, ...members }));

/** A response of a token endpoint, and a part of the error message of the sign-in or call that meets it. */
interface TokenAttack extends Pick<VendorAttack, 'answer' | 'says'> {
  /** That text for client credentials. Default: `error`. */
  readonly saysToClient?: string;
}

/** Responses of a token endpoint. */
export const TOKEN_ATTACKS: Readonly<Record<string, TokenAttack>> = {
  'endless-body': {
    answer: endless(chunked, chunk(' '.repeat(64 * 1024))),
    says: 'larger than 262144 bytes',
  },
  'endless-headers': {
    answer: endless(Buffer.from('HTTP/1.1 200 OK\r\n'), Buffer.from('a: b\r\n'.repeat(100))),
    says: 'more than 1000 headers',
  },
  'large-token': { answer: token({ access_token: 'x'.repeat(MIB) }), says: 'larger than 262144 bytes' },
  'token-of-lines': {
    answer: token({ access_token: 'x\r\nhost: other' }),
    says: 'characters that a header must not have',
  },
  'token-of-objects': { answer: token({ access_token: { a: [{}] } }), says: 'nothing that can be used' },
  'wide-token': {
    answer: token({ scope: Array<number>(350_000).fill(1) }),
    says: 'larger than 262144 bytes',
  },
  'deep-token': {
    answer: json(`{"access_token":"x","a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`),
    says: 'nothing that can be used',
  },
  'no-token': { answer: json('[]'), says: 'nothing that can be used' },
  'odd-refusal': {
    answer: json('{"error":{"a":1},"error_description":[]}', '400 Bad Request'),
    says: 'nothing that can be used',
    // A client that was refused before gets the advice to replace it.
    saysToClient: '',
  },
  'large-refusal': {
    answer: json(`{"error":"invalid_grant","error_description":"${'x'.repeat(MIB)}"}`, '400 Bad Request'),
    says: 'larger than 262144 bytes',
  },
};

const RESPONSE = [
  Buffer.from('HTTP/1.1 200 OK\r\n'),
  Buffer.from('content-type: application/json\r\n'),
  Buffer.from('set-cookie: a=b; path=/\r\n'),
  Buffer.from('transfer-encoding: chunked\r\n'),
  Buffer.from('\r\n'),
  chunk('{"id":"1","name":"Ada","items":['),
  chunk('{"a":[1,2,null]}'),
  chunk(']}'),
  Buffer.from('0\r\n\r\n'),
];
const damagedResponse = damagedMessages(RESPONSE);

const HONEST = json('{"items":[{"id":"1","name":"One"}]}');

/** Starts the vendor on a free loopback port. A request that selects nothing gets a list of one item. */
export async function startHostileVendor(): Promise<HostileVendor> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    // Clients close connections abruptly.
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    let received = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text;
      if (!isWhole(received)) return;
      const answer = answerTo(received);
      received = '';
      if (typeof answer === 'function') answer(socket);
      else socket.end(answer);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // a TCP server that listens has one
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Whether a request has arrived with its body. Clients in tests do not use chunked encoding. */
function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(text)?.[1] ?? '0';
  return end >= 0 && text.length >= end + 4 + Number(length);
}

function answerTo(request: string): Answer {
  const [, basic = ''] = /\r\nauthorization: basic (\S+)/i.exec(request) ?? [];
  const [, name = ''] =
    /hostile-([a-z0-9-]+)-/.exec(`${request}${Buffer.from(basic, 'base64').toString('latin1')}`) ?? [];
  const [, seed] = /^seed-(\d+)$/.exec(name) ?? [];
  if (seed !== undefined) return Buffer.concat(generated(damagedResponse, Number(seed)));
  const [, renewed] = /^renew-(.+)$/.exec(name) ?? [];
  if (renewed !== undefined) return token({ refresh_token: attackMark(renewed), expires_in: 0.001 });
  return (VENDOR_ATTACKS[name] ?? TOKEN_ATTACKS[name])?.answer ?? SLOW_VENDORS[name] ?? HONEST;
}

function packed(body: Buffer): Buffer {
  return Buffer.concat([head(`content-encoding: gzip\r\ncontent-length: ${body.length}\r\n`), body]);
}

/** Writes `start`, then repeats `part` as fast as it is read. */
function endless(start: Buffer, part: Buffer): (socket: Socket) => void {
  const block = Buffer.concat(Array<Buffer>(Math.max(1, Math.floor(65_536 / part.length))).fill(part));
  return (socket) => {
    const write = (): void => {
      while (!socket.destroyed && socket.write(block));
    };
    socket.on('drain', write);
    socket.write(start);
    write();
  };
}

/** Writes `start`, then repeats `part` every tenth of a second. */
function drip(start: Buffer, part: Buffer): (socket: Socket) => void {
  return (socket) => {
    socket.write(start);
    const timer = setInterval(() => void socket.write(part), 100);
    socket.on('close', () => clearInterval(timer));
  };
}
