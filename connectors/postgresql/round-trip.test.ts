import { afterAll, expect, it } from 'vitest';
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
import { message, startFakeServer } from './testing/fake-server.ts';
import type { FakeAnswers } from './testing/fake-server.ts';

const egress = testEgress();
const runtime = createConnectorRuntime({ egress, handlers: connectorHandlers });
afterAll(() => egress.close());

/** Runs a statement on a fake server; returns the outcome, and the types of the messages that the server got after the login. */
async function run(handler: string, answers: FakeAnswers = {}): Promise<[ToolOutcome, string]> {
  const server = await startFakeServer(answers);
  const fields = { host: '127.0.0.1', port: server.port, user: 'u', password: 'p', database: 'd' };
  const outcome = await runtime.execute(
    testCall(testTool({ type: 'handler', handler }), {
      connector: testConnector({ slug: 'postgresql', name: 'PostgreSQL' }),
      method: testMethod({ type: 'custom' }),
      credential: testCredential({ ...fields, sslMode: 'disable' }),
      fields: { sql: 'SELECT 1' },
    }),
    testOptions(),
  );
  const received = server.received();
  await server.close();
  let types = '';
  for (let at = 0; at + 5 <= received.length; at += 1 + received.readUInt32BE(at + 1))
    types += String.fromCharCode(received[at] ?? 0);
  return [outcome, types];
}

it('a read begins its transaction and has its guards in one message group with its statement, which never runs without them', async () => {
  const [outcome, types] = await run('runQuery');
  expect(outcome).toMatchObject({ isSuccess: true });
  // After an error, the database skips everything up to the first Sync.
  expect(types).toMatch(/^PBEH(PBE){6}PPBDES/);
});

it('a statement that may have effects is sent once its transaction has begun', async () => {
  const [outcome, types] = await run('executeStatement');
  expect(outcome).toMatchObject({ isSuccess: true });
  expect(types).toMatch(/^QPBDESQ/);
});

it('the answer to a statement whose transaction has not begun is an error', async () => {
  const ready = message('Z', Buffer.from('I'));
  const [outcome] = await run('runQuery', { prepared: Buffer.alloc(0), result: ready });
  expect(outcome).toMatchObject({
    isSuccess: false,
    errorMessage: expect.stringContaining('a statement has no end') as string,
  });
});
