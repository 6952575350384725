import type { ToolDefinition } from '@fairlead/connector-model/model';
import type { Preview, ToolOutcome } from '@fairlead/connector-runtime/call';
import { systemClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { onePermit } from '@fairlead/service-kit/testing/permits';
import { expect, test } from 'vitest';
import { connectorHead, toolDefinition } from '../../testing/fixtures.ts';
import { noFiles } from '../../testing/files.ts';
import {
  catalogOf,
  connection,
  connectionsOf,
  MemoryHistory,
  toolRequest,
  maskingInPlace,
  platformSchemas,
} from '../../testing/tool-calls.ts';
import { withoutToolsets } from '../../testing/toolsets.ts';
import { executeTool } from './execute-tool.ts';
import type { ExecuteToolRequest } from './execute-tool.ts';

const SECRET = 'sk-live-123';
const PREVIEW: Preview = { type: 'http', method: 'GET', url: 'http://vendor.test', headers: {}, body: null };

/** A tool with this vendor's answer, and a connection with a secret. */
function world(o: {
  readonly tool: Partial<ToolDefinition>;
  readonly vendor?: () => Promise<ToolOutcome>;
  readonly preview?: Preview;
}) {
  const ctx = testContext({ accountId: 'acc_1' });
  const history = new MemoryHistory();
  const deps = {
    ...withoutToolsets,
    catalog: catalogOf(toolDefinition(o.tool), connectorHead()),
    connections: connectionsOf(connection(), {
      kind: 'credential',
      credential: { version: 1, fields: { apiToken: SECRET }, secrets: [SECRET] },
    }),
    runtime: {
      execute: () => o.vendor?.() ?? Promise.reject(new Error('nothing is called')),
      preview: () => o.preview ?? PREVIEW,
    },
    history,
    schemas: platformSchemas(ctx.log),
    outputMasker: maskingInPlace,
    ...noFiles,
    checkPermits: onePermit(),
    permits: onePermit(),
    clock: systemClock,
    timeoutMs: 30_000,
  };
  const execute = (request: Partial<ExecuteToolRequest>) => executeTool(deps, ctx, toolRequest(request));
  return { rows: history.rows, execute };
}

test('what the output schema flags is masked in the answer as in the row, and where the vendor repeats it', async () => {
  const outputSchema = {
    type: 'object',
    properties: { key: { type: 'string', writeOnly: true }, login: { $ref: '#/$defs/login' } },
    $defs: { login: { type: 'object', properties: { password: { type: 'string', format: 'password' } } } },
  };
  const output = {
    key: 'new-key-1',
    login: { user: 'ada', password: 'pass word' },
    hint: `curl -H "x-key: new-key-1" https://vendor.example/?p=${encodeURIComponent('pass word')}`,
    'new-key-1': [Buffer.from('x:new-key-1').toString('base64'), 7],
  };
  const { execute, rows } = world({
    tool: { outputSchema },
    vendor: () => Promise.resolve({ isSuccess: true, output, attempts: 1 }),
  });
  const { outcome } = await execute({});
  expect(outcome).toEqual({
    isSuccess: true,
    output: {
      key: '***',
      login: { user: 'ada', password: '***' },
      hint: 'curl -H "x-key: ***" https://vendor.example/?p=***',
      '***': [expect.stringMatching(/^.{0,2}\*\*\*$/), 7],
    },
  });
  expect(rows.get(1)?.outcome).toEqual(outcome);
});

test('a dry run shows no secret, wherever it would be sent', async () => {
  const properties = { pin: { type: 'string', writeOnly: true }, note: { type: 'string' } };
  const fields = { pin: 'pin-9876', note: `${encodeURIComponent(SECRET)} ${JSON.stringify('pin-9876')}` };
  const hex = Buffer.from(SECRET).toString('hex').toUpperCase();
  const { execute, rows } = world({
    tool: { inputSchema: { type: 'object', properties } },
    preview: {
      type: 'http',
      method: 'POST',
      url: `http://vendor.test/${encodeURIComponent(SECRET)}`,
      headers: { 'x-key': hex, [SECRET]: '1' },
      body: JSON.stringify(fields),
    },
  });
  const { outcome } = await execute({ dryRun: true, fields });
  const text = JSON.stringify(outcome);
  expect(outcome.isSuccess).toBe(true);
  expect(text).toContain('***');
  for (const secret of [SECRET, encodeURIComponent(SECRET), hex, 'pin-9876'])
    expect(text).not.toContain(secret);
  expect(rows.size).toBe(0);
});

test('an output that could not be masked in time is not given out, in the answer and in the row', async () => {
  const { execute, rows } = world({
    tool: {},
    vendor: () => Promise.resolve({ isSuccess: true, output: { text: 'x'.repeat(100_000) }, attempts: 1 }),
  });
  const { outcome } = await execute({});
  expect(outcome).toMatchObject({
    isSuccess: false,
    errorMessage: expect.stringContaining('could not be searched') as string,
  });
  expect(rows.get(1)?.outcome).toEqual(outcome);
});
