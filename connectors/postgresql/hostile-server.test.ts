import type { Socket } from 'node:net';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { ToolOutcome } from '@fairlead/connector-runtime/call';
import { createConnectorRuntime } from '@fairlead/connector-runtime/runtime';
import { SessionPool } from '@fairlead/connector-runtime/sessions/session-pool';
import {
  testCall,
  testConnector,
  testCredential,
  testEgress,
  testMethod,
  testOptions,
  testTool,
} from '@fairlead/connector-runtime/testing/calls';
import { generated } from '@fairlead/connector-runtime/testing/damaged-messages';
import { connectorHandlers } from '../handlers.ts';
import { SERVER_ATTACKS, SLOW_SERVERS } from './testing/attacks.ts';
import { damagedConversation } from './testing/conversations.ts';
import { dataRow, DONE, message, rowDescription, startFakeServer } from './testing/fake-server.ts';
import type { FakeAnswers } from './testing/fake-server.ts';

const connector = testConnector({ slug: 'postgresql', name: 'PostgreSQL' });
const tool = testTool({ type: 'handler', handler: 'runQuery' });
const egress = testEgress();
const runtime = createConnectorRuntime({ egress, handlers: connectorHandlers });
afterAll(() => egress.close());

const TEXT = 25;

/** Runs a query on a server with these answers. An exception in a listener of the socket would end this process. */
async function queryOn(answers: FakeAnswers, timeoutMs = 30_000): Promise<ToolOutcome> {
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
  it.each(SERVER_ATTACKS)('$name', async ({ answers, says }) => {
    expect(await queryOn(answers)).toMatchObject({
      isSuccess: false,
      errorMessage: expect.stringContaining(says) as string,
    });
  });

  it.each(SLOW_SERVERS)('$name', async ({ answers }) => {
    expect(await queryOn(answers, 500)).toMatchObject({ isSuccess: false });
  });
});

it.each([
  ['a notice', message('N', Buffer.from('SNOTICE\0Mhello\0\0'))],
  ['a notification', message('A', 1, 'channel', 'text')],
  ['a parameter', message('S', 'TimeZone', 'UTC')],
  ['rows', Buffer.concat([rowDescription(['a'], TEXT), dataRow(['1']), DONE])],
  ['a flood', Buffer.alloc(1024 * 1024, message('N', Buffer.from('Mhello\0\0')))],
  ['half a message', message('N', Buffer.from('Mhello\0\0')).subarray(0, 3)],
])('a kept session is closed when the server sends what nobody asked for: %s', async (_, idle) => {
  let logins = 0;
  const server = await startFakeServer(() => ((logins += 1), { idle }));
  const sessions = new SessionPool();
  const keeping = createConnectorRuntime({
    egress,
    handlers: async (slug, name) => {
      const handler = await connectorHandlers(slug, name);
      return (call) => handler({ ...call, sessions });
    },
  });
  const settings = { host: '127.0.0.1', port: server.port, user: 'u', password: 'p', database: 'd' };
  const execute = (): Promise<ToolOutcome> =>
    keeping.execute(
      testCall(tool, {
        connector,
        method: testMethod({ type: 'custom' }),
        credential: testCredential({ ...settings, sslMode: 'disable' }),
        fields: { sql: 'SELECT' },
      }),
      testOptions({ connectionId: 7 }),
    );
  expect(await execute()).toMatchObject({ isSuccess: true });
  const events = new Set<string>();
  await vi.waitUntil(
    () => {
      for (const { event } of sessions.takeCounts()) events.add(event);
      return events.has('lost');
    },
    { timeout: 90_000 },
  );
  expect(await execute()).toMatchObject({ isSuccess: true });
  expect([logins, ...events]).toEqual([2, 'opened', 'lost']);
  await server.close();
});

it('whatever is damaged in a conversation, the call ends with an outcome', async () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    const outcome = await queryOn(generated(damagedConversation, seed));
    expect(outcome, `seed ${seed}`).toHaveProperty('isSuccess');
  }
});
