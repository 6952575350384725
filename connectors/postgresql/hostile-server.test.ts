import type { Socket } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import type { ToolOutcome } from '@fairlead/connector-runtime/call';
import { createConnectorRuntime } from '@fairlead/connector-runtime/runtime';
import {
  testCall,
  testConnector,
  testCredential,
  testEgress,
  testMethod,
  testOptions,
  testTool,
} from '@fairlead/connector-runtime/testing/calls';
import { connectorHandlers } from '../handlers.ts';
import {
  ACCEPTED,
  dataRow,
  DONE,
  int16,
  message,
  rowDescription,
  startFakeServer,
} from './testing/fake-server.ts';
import type { FakeAnswers } from './testing/fake-server.ts';

const connector = testConnector({ slug: 'postgresql', name: 'PostgreSQL' });
const tool = testTool({ type: 'handler', handler: 'runQuery' });
const egress = testEgress();
const runtime = createConnectorRuntime({ egress, handlers: connectorHandlers });
afterAll(() => egress.close());

const JSON_TYPE = 114;
const TEXT = 25;

/** Runs a query on a server with these answers. A throw in a listener of the socket would end this process. */
async function queryOn(answers: FakeAnswers, timeoutMs = 5_000): Promise<ToolOutcome> {
  const server = await startFakeServer(answers);
  try {
    const fields = {
      host: '127.0.0.1',
      port: server.port,
      user: 'u',
      password: 'p',
      database: 'd',
      sslMode: 'disable',
    };
    const credential = testCredential(fields);
    const parts = {
      connector,
      method: testMethod({ type: 'custom' }),
      credential,
      fields: { sql: 'SELECT' },
    };
    return await runtime.execute(testCall(tool, parts), testOptions({ timeoutMs }));
  } finally {
    await server.close();
  }
}

const result = (...messages: readonly Buffer[]): FakeAnswers => ({ result: Buffer.concat(messages) });
const cells = (typeOid: number, value: string): FakeAnswers =>
  result(rowDescription(['a'], typeOid), dataRow([value]), DONE);
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

it('a server that follows the protocol is understood, in pieces of any size', async () => {
  const bytes = Buffer.concat([
    rowDescription(['a', 'a', 'b'], TEXT),
    message('N', Buffer.from('SNOTICE\0Mhello\0\0')),
    dataRow(['1', null, 'é']),
    DONE,
  ]);
  const drip = (socket: Socket): void => {
    const write = (at: number): void => {
      if (at < bytes.length) socket.write(bytes.subarray(at, at + 1), () => write(at + 1));
    };
    write(0);
  };
  const expected = { isSuccess: true, output: { items: [{ a: '1', a_2: null, b: 'é' }] } };
  expect(await queryOn({ result: bytes })).toMatchObject(expected);
  expect(await queryOn({ result: drip })).toMatchObject(expected);
});

describe('a server that does not is a failed call', () => {
  it.each<[string, FakeAnswers, string]>([
    ['login of kind 7', { login: message('R', 7) }, 'not supported (7)'],
    ['login of kind 9', { login: message('R', 9) }, 'not supported (9)'],
    ['password twice', { login: Buffer.concat([message('R', 3), message('R', 3)]) }, 'out of order'],
    [
      'many keys to derive',
      {
        login: Buffer.concat([
          message('R', 10, 'SCRAM-SHA-256', ''),
          ...Array<Buffer>(50).fill(message('R', 11)),
        ]),
      },
      'out of order',
    ],
    ['mechanisms without an end', { login: message('R', 10, Buffer.from('SCRAM')) }, 'has no end'],
    ['rows before the login', { login: dataRow(['x']) }, 'before the login'],
    ['an endless message before the login', { login: stated('E', 2 ** 31) }, 'more than 64 KiB'],
    ['a row that is cut', result(rowDescription(['a'], TEXT), message('D', int16(1), 100)), 'ends too early'],
    ['a row with more columns', result(rowDescription(['a'], TEXT), dataRow(['1', '2'])), 'other columns'],
    ['a row without a result', result(dataRow(['1'])), 'other columns'],
    ['a row with a remainder', result(rowDescription([], TEXT), message('D', int16(0), 1)), 'longer than'],
    ['a negative number of columns', result(message('T', int16(-1))), 'more than 1664 columns'],
    [
      'too many columns',
      result(rowDescription(Array<string>(1665).fill('a'), TEXT)),
      'more than 1664 columns',
    ],
    ['a row of 512 MiB', result(rowDescription(['a'], TEXT), stated('D', 2 ** 29)), 'larger than 4 MiB'],
    ['another message of 512 MiB', result(stated('C', 2 ** 29)), 'more than 1024 KiB'],
    ['a message without a length', result(stated('C', 0)), 'no length'],
    ['a notice without an end', result(message('N', Buffer.from('Mhello'))), 'has no end'],
    ['an error without an end', result(message('E', Buffer.from('M'))), 'has no end'],
    ['an unknown message', result(message('~')), 'unknown type'],
    ['JSON nested 5 000 deep', cells(JSON_TYPE, nested(5_000)), 'deeper than 200 levels'],
    ['much JSON', cells(JSON_TYPE, `[${'{},'.repeat(200_000)}1]`), 'more than 100000 JSON values'],
    ['JSON that is none', cells(JSON_TYPE, '{'), 'does not follow the PostgreSQL protocol'],
    ['an array nested 5 000 deep', cells(1007, '{'.repeat(5_000)), 'array that cannot be read'],
    ['rows without columns', manyRows([], 100_001), 'too many rows'],
    ['small rows', manyRows([null], 50_001), 'more than 100000 rows and values'],
    ['many small cells', manyRows(Array<null>(1_664).fill(null), 100), 'larger than 1 MiB'],
  ])('%s', async (_name, answers, text) => {
    expect(await queryOn(answers)).toMatchObject({
      isSuccess: false,
      errorMessage: expect.stringContaining(text) as string,
    });
  });

  it.each<[string, Buffer, string]>([
    ['notices', message('N', Buffer.from('Mhello\0\0')), 'too many messages'],
    ['parameters', message('S', 'a', 'b'), 'too many messages'],
  ])('%s that never end', async (_name, bytes, text) => {
    const flood = (socket: Socket): void => {
      const block = Buffer.concat(Array<Buffer>(1_000).fill(bytes));
      const write = (): void => {
        while (!socket.destroyed && socket.write(block));
      };
      socket.on('drain', write);
      write();
    };
    expect(await queryOn({ result: flood })).toMatchObject({
      isSuccess: false,
      errorMessage: expect.stringContaining(text) as string,
    });
  });
});

it('whatever is damaged in a conversation, the call ends with an outcome', async () => {
  const conversation = [
    ACCEPTED,
    rowDescription(['a', 'b'], JSON_TYPE),
    message('N', Buffer.from('SNOTICE\0Mhello\0\0')),
    dataRow(['{"a":[1]}', null]),
    message('E', Buffer.from('SERROR\0C57014\0Mstopped\0\0')),
    DONE,
  ];
  for (let seed = 1; seed <= 300; seed += 1) {
    const random = generator(seed);
    const [login = ACCEPTED, ...rest] = conversation;
    const damaged = damage(Buffer.concat(rest), random);
    const hangUp = (socket: Socket): void => void socket.end(damaged);
    const answers: FakeAnswers =
      seed % 3 === 0 ? { login: (socket) => void socket.end(damage(login, random)) } : { result: hangUp };
    const outcome = await queryOn(answers);
    expect(outcome, `seed ${seed}`).toHaveProperty('isSuccess');
  }
});

/** A message that states a length and has no more. */
function stated(type: string, length: number): Buffer {
  const header = Buffer.alloc(5);
  header.write(type, 0, 'latin1');
  header.writeUInt32BE(length, 1);
  return header;
}

function manyRows(row: readonly null[], count: number): FakeAnswers {
  const names = row.map(() => '?column?');
  return result(rowDescription(names, TEXT), Buffer.concat(Array<Buffer>(count).fill(dataRow(row))), DONE);
}

/** Numbers from 0 to below `limit`, always the same for a seed. */
function generator(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

function damage(bytes: Buffer, random: (limit: number) => number): Buffer {
  const at = random(bytes.length);
  switch (random(4)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(random(bytes.length))]);
    case 2:
      return Buffer.concat([bytes, bytes.subarray(at)]);
    default: {
      const changed = Buffer.from(bytes);
      for (let count = random(4); count >= 0; count -= 1) changed[random(changed.length)] = random(256);
      return changed;
    }
  }
}
