import * as fc from 'fast-check';
import { damagedMessages } from '@fairlead/connector-runtime/testing/damaged-messages';
import { ACCEPTED, DONE, dataRow, message, rowDescription } from './fake-server.ts';
import type { FakeAnswers } from './fake-server.ts';

const JSON_TYPE = 114;

const RESULT = [
  rowDescription(['a', 'b'], JSON_TYPE),
  message('N', Buffer.from('SNOTICE\0Mhello\0\0')),
  message('S', 'TimeZone', 'UTC'),
  dataRow(['{"a":[1]}', null]),
  dataRow(['2', '[]']),
  message('E', Buffer.from('SERROR\0C57014\0Mstopped\0\0')),
  DONE,
];

const LOGINS: readonly (readonly Buffer[])[] = [
  [ACCEPTED],
  [message('R', 3), ACCEPTED],
  [message('R', 5, Buffer.from('salt')), ACCEPTED],
  [message('R', 10, 'SCRAM-SHA-256', ''), message('R', 11, Buffer.from('r=x,s=eA==,i=4096')), ACCEPTED],
];

/** Changes a message's type or length. */
const change: fc.Arbitrary<(message: Buffer) => Buffer> = fc.oneof(
  fc.integer({ min: 32, max: 126 }).map((type) => (bytes: Buffer) => patched(bytes, [type], 0)),
  fc
    .oneof(
      fc.integer({ min: -8, max: 64 }),
      fc.constantFrom(2 ** 16, 2 ** 24, 2 ** 29, 2 ** 31 - 1, -(2 ** 31)),
    )
    .map((length) => {
      const field = Buffer.alloc(4);
      field.writeInt32BE(length);
      return (bytes: Buffer) => patched(bytes, field, 1);
    }),
);

function patched(bytes: Buffer, values: Iterable<number>, at: number): Buffer {
  const changed = Buffer.from(bytes);
  [...values].forEach((value, index) => {
    if (at + index < changed.length) changed[at + index] = value;
  });
  return changed;
}

/** Conversations in which the server's login, or its answer to a statement, is damaged; then the server disconnects. */
export const damagedConversation: fc.Arbitrary<FakeAnswers> = fc.oneof(
  fc
    .constantFrom(...LOGINS)
    .chain((login) => damagedMessages(login, change))
    .map((messages): FakeAnswers => ({ login: (socket) => void socket.end(Buffer.concat(messages)) })),
  damagedMessages(RESULT, change).map((messages): FakeAnswers => ({
    result: (socket) => void socket.end(Buffer.concat(messages)),
  })),
);
