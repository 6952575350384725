import type { Socket } from 'node:net';
import { damagedMessages } from '@fairlead/connector-runtime/testing/damaged-messages';
import { HELLO, HONEST, reply } from './fake-server.ts';
import type { FakeAnswer } from './fake-server.ts';

/** An attacking server, and the error message of a call that it attacks. */
interface ServerAttack {
  readonly name: string;
  readonly answers: readonly FakeAnswer[];
  readonly says: string;
  /** The stage at which it attacks; a test of the credential ends before the search. */
  readonly stage: 'login' | 'search';
}

const NO_PROTOCOL = 'does not follow the MongoDB protocol';
const [hello = Buffer.alloc(0), found = Buffer.alloc(0)] = HONEST;

const changed = (message: Buffer, change: (copy: Buffer) => unknown): Buffer => {
  const copy = Buffer.from(message);
  change(copy);
  return copy;
};

/** A document with this number of nested levels. */
function nested(levels: number): Buffer {
  let inner: Buffer = Buffer.from([5, 0, 0, 0, 0]);
  for (let level = 0; level < levels; level += 1) {
    const outer = Buffer.alloc(inner.length + 8);
    outer.writeInt32LE(outer.length, 0);
    outer.write('\u0003a\0', 4, 'latin1');
    inner.copy(outer, 7);
    inner = outer;
  }
  return inner;
}

/** A list of nulls, each with a name of one byte. */
function nulls(count: number): Buffer {
  const bytes = Buffer.alloc(5 + count * 3);
  bytes.writeInt32LE(bytes.length, 0);
  for (let index = 0; index < count; index += 1) bytes.write('\u000aa\0', 4 + index * 3, 'latin1');
  return bytes;
}

const search = (answer: FakeAnswer): readonly FakeAnswer[] => [hello, answer];

/** Servers that disconnect, violate the protocol, refuse or flood. */
export const SERVER_ATTACKS: readonly ServerAttack[] = [
  { name: 'closes', answers: [], says: 'closed the connection', stage: 'login' },
  {
    name: 'is-no-database',
    answers: [(socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
    says: 'at once',
    stage: 'login',
  },
  {
    name: 'refuses',
    answers: [reply(1, { ok: 0, code: 13, errmsg: 'Go away' })],
    says: 'Go away',
    stage: 'login',
  },
  {
    name: 'is-no-primary',
    answers: [reply(1, { ok: 1, isWritablePrimary: false })],
    says: 'is a primary',
    stage: 'login',
  },
  {
    name: 'is-large-before-the-login',
    answers: [reply(1, { ...HELLO, more: 'x'.repeat(100_000) })],
    says: 'at once',
    stage: 'login',
  },
  { name: 'answers-another', answers: search(reply(7, { ok: 1 })), says: NO_PROTOCOL, stage: 'search' },
  {
    name: 'speaks-twice',
    answers: search(Buffer.concat([found, found])),
    says: NO_PROTOCOL,
    stage: 'search',
  },
  {
    name: 'has-another-kind',
    answers: search(reply(2, { ok: 1 }, { opCode: 1 })),
    says: NO_PROTOCOL,
    stage: 'search',
  },
  {
    name: 'has-more-to-come',
    answers: search(reply(2, { ok: 1 }, { flags: 2 })),
    says: NO_PROTOCOL,
    stage: 'search',
  },
  {
    name: 'is-too-short',
    answers: search(changed(found, (copy) => copy.writeInt32LE(-1, 0))),
    says: NO_PROTOCOL,
    stage: 'search',
  },
  {
    name: 'is-huge',
    answers: search(changed(found, (copy) => copy.writeInt32LE(0x7fffffff, 0))),
    says: 'at once',
    stage: 'search',
  },
  {
    name: 'nests-deep',
    answers: search(reply(2, nested(100_000))),
    says: NO_PROTOCOL,
    stage: 'search',
  },
  {
    name: 'has-many-values',
    answers: search(reply(2, nulls(2_000_000))),
    says: 'more than 100000 values',
    stage: 'search',
  },
  { name: 'closes-later', answers: [hello], says: 'closed the connection', stage: 'search' },
  {
    name: 'sends-half',
    answers: search((socket: Socket) => socket.end(found.subarray(0, 30))),
    says: 'closed the connection',
    stage: 'search',
  },
];

/** Servers that let calls wait until their deadline. */
export const SLOW_SERVERS: readonly ServerAttack[] = [
  { name: 'says-nothing', answers: [() => undefined], says: 'did not respond within', stage: 'login' },
  { name: 'forgets', answers: search(() => undefined), says: 'did not respond within', stage: 'search' },
  {
    name: 'begins-only',
    answers: search((socket: Socket) => socket.write(found.subarray(0, 30))),
    says: 'did not respond within',
    stage: 'search',
  },
];

/** Conversations of an honest server, damaged at random. */
export const damagedConversation = damagedMessages(HONEST);
