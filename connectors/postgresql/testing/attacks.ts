import type { Socket } from 'node:net';
import { ACCEPTED, DONE, dataRow, int16, message, rowDescription } from './fake-server.ts';
import type { FakeAnswers } from './fake-server.ts';

const JSON_TYPE = 114;
const TEXT = 25;

/** A server's answers that violate the protocol or the limits, and the error message of the call. */
export interface ServerAttack {
  readonly name: string;
  readonly answers: FakeAnswers;
  readonly says: string;
  /** The stage of the attack: `login` affects every call, `result` only statements. */
  readonly stage: 'login' | 'result';
}

const login = (name: string, answer: FakeAnswers['login'] & {}, says: string): ServerAttack => ({
  name,
  answers: { login: answer },
  says,
  stage: 'login',
});
const result = (
  name: string,
  answer: readonly Buffer[] | ((socket: Socket) => void),
  says: string,
): ServerAttack => ({
  name,
  answers: { result: typeof answer === 'function' ? answer : Buffer.concat(answer) },
  says,
  stage: 'result',
});
const cells = (name: string, typeOid: number, value: string, says: string): ServerAttack =>
  result(name, [rowDescription(['a'], typeOid), dataRow([value]), DONE], says);
const rows = (name: string, row: readonly null[], count: number, says: string): ServerAttack => {
  const names = row.map(() => '?column?');
  return result(name, [rowDescription(names, TEXT), ...Array<Buffer>(count).fill(dataRow(row)), DONE], says);
};

/** All known attacks, found by hand or by generated conversations. */
export const SERVER_ATTACKS: readonly ServerAttack[] = [
  login('login of kind 7', message('R', 7), 'not supported (7)'),
  login('login of kind 9', message('R', 9), 'not supported (9)'),
  login('password twice', Buffer.concat([message('R', 3), message('R', 3)]), 'out of order'),
  login(
    'many keys to derive',
    Buffer.concat([message('R', 10, 'SCRAM-SHA-256', ''), ...Array<Buffer>(50).fill(message('R', 11))]),
    'out of order',
  ),
  login(
    'a key that is hashed 100 001 times',
    Buffer.concat([
      message('R', 10, 'SCRAM-SHA-256', ''),
      message('R', 11, Buffer.from('r=nonce,s=c2FsdA==,i=100001')),
    ]),
    'more than 100000 SCRAM iterations',
  ),
  login('mechanisms without an end', message('R', 10, Buffer.from('SCRAM')), 'has no end'),
  login('rows before the login', dataRow(['x']), 'before the login'),
  login('an endless message before the login', stated('E', 2 ** 31), 'more than 64 KiB'),
  result('a row that is cut', [rowDescription(['a'], TEXT), message('D', int16(1), 100)], 'ends too early'),
  result('a row with more columns', [rowDescription(['a'], TEXT), dataRow(['1', '2'])], 'other columns'),
  result('a row without a result', [dataRow(['1'])], 'other columns'),
  result('a row with a remainder', [rowDescription([], TEXT), message('D', int16(0), 1)], 'longer than'),
  result('a negative number of columns', [message('T', int16(-1))], 'more than 1664 columns'),
  result('too many columns', [rowDescription(Array<string>(1665).fill('a'), TEXT)], 'more than 1664 columns'),
  result('a row of 512 MiB', [rowDescription(['a'], TEXT), stated('D', 2 ** 29)], 'larger than 4 MiB'),
  result('another message of 512 MiB', [stated('C', 2 ** 29)], 'more than 1024 KiB'),
  result('a message without a length', [stated('C', 0)], 'no length'),
  result('a notice without an end', [message('N', Buffer.from('Mhello'))], 'has no end'),
  result('an error without an end', [message('E', Buffer.from('M'))], 'has no end'),
  result('an unknown message', [message('~')], 'unknown type'),
  cells('JSON nested 5 000 deep', JSON_TYPE, nested(5_000), 'deeper than 200 levels'),
  cells('much JSON', JSON_TYPE, `[${'{},'.repeat(200_000)}1]`, 'more than 100000 JSON values'),
  cells('JSON that is none', JSON_TYPE, '{', 'does not follow the PostgreSQL protocol'),
  cells('an array nested 5 000 deep', 1007, '{'.repeat(5_000), 'array that cannot be read'),
  rows('rows without columns', [], 100_001, 'too many rows'),
  rows('small rows', [null], 50_001, 'more than 100000 rows and values'),
  rows('unnamed columns in many rows', Array<null>(1_664).fill(null), 100, 'larger than 1 MiB'),
  result('notices that never end', endless(message('N', Buffer.from('Mhello\0\0'))), 'too many messages'),
  result('parameters that never end', endless(message('S', 'a', 'b')), 'too many messages'),
  result(
    'rows that never end',
    endless(Buffer.concat([rowDescription(['a'], TEXT), dataRow(['1'])])),
    'too many messages',
  ),
];

/** Servers that let a call wait until its deadline. */
export const SLOW_SERVERS: readonly ServerAttack[] = [
  login('no answer to the login', () => undefined, 'did not respond within'),
  login(
    'a login that drips',
    drip(Buffer.concat([ACCEPTED.subarray(0, 9), message('S', 'a', 'b')])),
    'out of order',
  ),
  result('no answer to a statement', () => undefined, 'did not respond within'),
  result('an answer that drips', drip(message('N', Buffer.from('Mhello\0\0'))), 'did not respond within'),
];

/** A message whose stated length is more than its content. */
function stated(type: string, length: number): Buffer {
  const header = Buffer.alloc(5);
  header.write(type, 0, 'latin1');
  header.writeUInt32BE(length, 1);
  return header;
}

function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

/** Repeats these bytes without end, as fast as they are read. */
function endless(bytes: Buffer): (socket: Socket) => void {
  const block = Buffer.concat(Array<Buffer>(1_000).fill(bytes));
  return (socket) => {
    const write = (): void => {
      while (!socket.destroyed && socket.write(block));
    };
    socket.on('drain', write);
    write();
  };
}

/** Repeats these bytes without end, one byte every tenth of a second. */
function drip(bytes: Buffer): (socket: Socket) => void {
  return (socket) => {
    let at = 0;
    const timer = setInterval(() => {
      socket.write(bytes.subarray(at % bytes.length, (at % bytes.length) + 1));
      at += 1;
    }, 100);
    socket.on('close', () => clearInterval(timer));
  };
}
