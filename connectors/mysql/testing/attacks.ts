import type { Socket } from 'node:net';
import { damagedMessages } from '@fairlead/connector-runtime/testing/damaged-messages';
import { HONEST, packet } from './fake-server.ts';
import type { FakeAnswers } from './fake-server.ts';

/** An attacking server, and the error message of a call that it attacks. */
interface ServerAttack {
  readonly name: string;
  readonly answers: FakeAnswers;
  readonly says: string;
  /** The stage at which it attacks; a test of the credential ends before the statement. */
  readonly stage: 'login' | 'statement';
}

const beforeResult = HONEST.slice(0, 4);
/** Repeats `block` without end, as fast as it is read. */
const endless = (start: Buffer, block: Buffer) => (socket: Socket) => {
  const write = (): void => {
    while (!socket.destroyed && socket.write(block));
  };
  socket.on('drain', write).write(start);
  write();
};
const [RESULT = Buffer.alloc(0)] = HONEST.slice(4);
/** Length of the row and of the end of the result, which follow the column's description. */
const ROW_BYTES = packet(4, [1], '1').length + packet(5, [0xfe, 0, 0, 2, 0]).length;
const columns = RESULT.subarray(0, RESULT.length - ROW_BYTES);
/** 256 rows, one for each packet number. The first has the number that follows the description. */
const rows = Buffer.concat(
  Array.from({ length: 256 }, (_value, index) =>
    packet((4 + index) % 256, [0xfc, 0, 16], Buffer.alloc(4096, 97)),
  ),
);

const OUT_OF_ORDER = packet(9, [1], '1');

/** Servers that disconnect, violate the protocol, refuse or flood. */
export const SERVER_ATTACKS: readonly ServerAttack[] = [
  { name: 'closes', answers: [], says: 'closed the connection', stage: 'login' },
  {
    name: 'is-no-database',
    answers: [(socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
    says: 'closed the connection',
    stage: 'login',
  },
  {
    name: 'refuses',
    answers: [HONEST[0] ?? RESULT, packet(2, [0xff, 0x15, 0x04], '#28000Access denied')],
    says: 'Access denied',
    stage: 'login',
  },
  {
    name: 'has-no-login',
    answers: [HONEST[1] ?? RESULT],
    says: 'does not follow the MySQL protocol',
    stage: 'login',
  },
  {
    name: 'is-out-of-order',
    answers: [...beforeResult, (socket) => socket.write(Buffer.concat([columns, OUT_OF_ORDER]))],
    says: 'does not follow the MySQL protocol',
    stage: 'statement',
  },
  { name: 'closes-later', answers: beforeResult, says: 'closed the connection', stage: 'statement' },
  {
    name: 'sends-half',
    answers: [...beforeResult, (socket) => socket.end(columns)],
    says: 'closed the connection',
    stage: 'statement',
  },
  {
    name: 'floods',
    answers: [...beforeResult, endless(columns, rows)],
    says: 'The result',
    stage: 'statement',
  },
];

/** Servers that let calls wait until their deadline. */
export const SLOW_SERVERS: readonly ServerAttack[] = [
  { name: 'says-nothing', answers: [() => undefined], says: 'did not respond within', stage: 'login' },
  {
    name: 'forgets',
    answers: [...beforeResult, () => undefined],
    says: 'did not respond within',
    stage: 'statement',
  },
];

/** Conversations of an honest server, damaged at random. */
export const damagedConversation = damagedMessages(HONEST);
