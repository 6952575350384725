import { afterAll, expect, it } from 'vitest';
import type { JsonObject } from '@fairlead/connector-model/json';
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
import { mcpEvents, mcpResult, startTestMcpServer } from '@fairlead/connector-runtime/testing/mcp-server';
import { PATIENT_LIMITS } from '@fairlead/connector-runtime/testing/worker-runtime';
import { createHandlerWorkers } from '@fairlead/connector-runtime/workers/handler-workers';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { createConnectorHandlers } from './handlers.ts';
import { dataRow, DONE, rowDescription, startFakeServer } from './postgresql/testing/fake-server.ts';

const TEXT = 25;
const egress = testEgress();
const workers = createHandlerWorkers({
  entry: new URL('mcp/testing/throwing-worker.ts', import.meta.url),
  allow: ['127.0.0.0/8'],
  log: createLogger({ service: 'test', level: 'silent' }),
  limits: { lossesPerMinute: 1_000, ...PATIENT_LIMITS },
});
const runtime = createConnectorRuntime({ egress, handlers: createConnectorHandlers(workers) });
afterAll(async () => {
  await Promise.all([workers.close(), egress.close()]);
});

/** More than any conversation has. */
const MAX_STEPS = 50;

/** Makes the call with a throw at step 1, 2, … until it succeeds, because it has no such step; the outcomes before. */
async function throwAtEveryStep(call: (fields: JsonObject) => Promise<ToolOutcome>): Promise<ToolOutcome[]> {
  const outcomes: ToolOutcome[] = [];
  for (let step = 1; step <= MAX_STEPS; step += 1) {
    const outcome = await call({ throwAtStep: step });
    if (outcome.isSuccess) return outcomes;
    outcomes.push(outcome);
  }
  throw new Error('No call succeeds.');
}

const INTERNAL = 'The call failed because of an internal error in Fairlead.';
const UNKNOWN = 'The process that made the call failed. Its outcome is not known.';

it('a throw at any step of a conversation with a PostgreSQL server is a failed call', async () => {
  const server = await startFakeServer({
    result: Buffer.concat([rowDescription(['a'], TEXT), dataRow(['1']), DONE]),
  });
  const settings = { host: '127.0.0.1', port: server.port, user: 'u', password: 'p', database: 'd' };
  const outcomes = await throwAtEveryStep((fields) =>
    runtime.execute(
      testCall(testTool({ type: 'handler', handler: 'runQuery' }), {
        connector: testConnector({ slug: 'postgresql', name: 'PostgreSQL' }),
        method: testMethod({ type: 'custom' }),
        credential: testCredential({ ...settings, sslMode: 'disable', ...fields }),
        fields: { sql: 'SELECT' },
      }),
      testOptions(),
    ),
  );
  await server.close();
  const texts = outcomes.map((outcome) => !outcome.isSuccess && outcome.errorMessage);
  expect(texts.slice(0, 2)).toEqual([INTERNAL, INTERNAL]);
  expect(texts.slice(2)).toEqual(texts.slice(2).map(() => UNKNOWN));
  expect(texts.length).toBeGreaterThan(3);
});

it('a throw at any step of a conversation with an MCP server is a failed call', async () => {
  const server = await startTestMcpServer(({ id, method }) =>
    method === 'tools/call' ? mcpEvents([mcpResult(id, { content: [] })]) : { status: 404 },
  );
  const outcomes = await throwAtEveryStep((fields) =>
    runtime.execute(
      testCall(testTool({ type: 'mcp', toolName: 'do' }), {
        connector: testConnector({ slug: 'mcp-7', kind: 'MCPClient' }),
        credential: testCredential({ serverUrl: server.url, ...fields }),
      }),
      testOptions(),
    ),
  );
  await server.close();
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({
      errorMessage: expect.not.stringContaining('did not respond within') as string,
    });
  }
  expect(outcomes.length).toBeGreaterThan(6);
});
