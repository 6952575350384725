import type { ToolDefinition } from '@fairlead/connector-model/model';
import type { Preview, ToolCall, ToolOutcome } from '@fairlead/connector-runtime/call';
import { ManualClock } from '@fairlead/service-kit/clock';
import { userOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { testContext } from '@fairlead/service-kit/testing/context';
import { onePermit } from '@fairlead/service-kit/testing/permits';
import { expect, test } from 'vitest';
import { UNSETTLED_OUTCOME } from '../../domain/execution.ts';
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
import type { CredentialResult } from '../../ports/connections.ts';
import { executeTool } from './execute-tool.ts';
import type { ExecutionPorts } from '../../ports/execution-ports.ts';
import type { ExecuteToolRequest } from './execute-tool.ts';

const SECRET = 'sk-live-123';
const START = new Date('2026-11-21T10:00:00.000Z');

interface World {
  tool?: Partial<ToolDefinition>;
  isLicensed?: boolean;
  credential?: CredentialResult;
  /** The vendor; by default it returns one item. */
  vendor?: (call: ToolCall) => Promise<ToolOutcome>;
  preview?: Preview;
  deps?: Partial<ExecutionPorts>;
  /** The history write that fails. */
  broken?: 'insert' | 'settle';
}

const CREDENTIAL: CredentialResult = {
  kind: 'credential',
  credential: { version: 1, fields: { apiToken: SECRET }, secrets: [SECRET] },
};
const PREVIEW: Preview = { type: 'http', method: 'GET', url: 'http://vendor.test', headers: {}, body: null };

/** One application and one default connection (id 7); records all results. */
function world(o: World = {}) {
  const ctx = testContext({ accountId: 'acc_1' });
  const clock = new ManualClock(START);
  const calls: ToolCall[] = [];
  const timeouts: number[] = [];
  const history = new MemoryHistory(...(o.broken ? [o.broken] : []));
  const deps: ExecutionPorts = {
    ...withoutToolsets,
    catalog: catalogOf(toolDefinition(o.tool), connectorHead()),
    connections: connectionsOf(connection({ isLicensed: o.isLicensed ?? true }), o.credential ?? CREDENTIAL),
    runtime: {
      execute(call, { timeoutMs }) {
        calls.push(call);
        timeouts.push(timeoutMs);
        clock.advance(25);
        return o.vendor?.(call) ?? Promise.resolve({ isSuccess: true, output: { items: [1] }, attempts: 1 });
      },
      preview: () => o.preview ?? PREVIEW,
    },
    history,
    schemas: platformSchemas(ctx.log),
    outputMasker: maskingInPlace,
    ...noFiles,
    checkPermits: onePermit(),
    permits: onePermit(),
    clock,
    timeoutMs: 30_000,
    ...o.deps,
  };
  const execute = (request: Partial<ExecuteToolRequest> = {}, context: RequestContext = ctx) =>
    executeTool(deps, context, toolRequest(request));
  return { ctx, calls, timeouts, rows: history.rows, execute };
}

test('a call returns the output, how it ran and the id of its row', async () => {
  const { ctx, execute, rows, calls } = world();
  const result = await execute({ fields: { name: 'Ada', unknown: 1 }, top: 5 });
  const info = {
    startedAt: START,
    durationMs: 25,
    connectionId: 7,
    connectionResolution: 'default',
    applicationSlug: 'crm',
    toolSlug: 'crm-list-contacts',
    toolVersion: '1.2.0',
    attempts: 1,
    userId: userOf(ctx).userId,
    source: 'rest',
    mcpServerName: null,
  };
  expect(result).toEqual({ outcome: { isSuccess: true, output: { items: [1] } }, historyId: 1, info });
  expect(calls).toMatchObject([
    { fields: { name: 'Ada' }, top: 5, connector: { slug: 'crm' }, method: { authenticationId: 1 } },
  ]);
  expect(calls[0]?.fields).not.toHaveProperty('unknown');
  expect([...rows.values()]).toEqual([
    {
      accountId: 'acc_1',
      isSettled: true,
      fields: { name: 'Ada' },
      outcome: result.outcome,
      info,
      outputMismatch: [],
    },
  ]);
});

test('a vendor failure is a result with a row, its message without secrets', async () => {
  const { execute, rows } = world({
    vendor: () =>
      Promise.resolve({
        isSuccess: false,
        errorMessage: `Key ${SECRET} is bad`,
        attempts: 3,
        isUnauthorized: true,
      }),
  });
  const result = await execute();
  expect(result).toMatchObject({
    outcome: { isSuccess: false, errorMessage: 'Key *** is bad' },
    historyId: 1,
    info: { attempts: 3 },
  });
  expect(rows.get(1)?.outcome).toEqual(result.outcome);
});

test('row and result hold no secret, in any encoding: neither of the connection nor one that the input schema flags', async () => {
  const properties = { name: { type: 'string' }, pin: { type: 'string', writeOnly: true } };
  const hex = Buffer.from(SECRET).toString('hex');
  const output = { items: [{ note: `${SECRET} and pin-9876`, hex }], id: 7 };
  const { execute, rows } = world({
    tool: { inputSchema: { type: 'object', properties } },
    vendor: () => Promise.resolve({ isSuccess: true, output, attempts: 1 }),
  });
  const result = await execute({ fields: { name: `by ${SECRET}`, pin: 'pin-9876' } });
  const masked = { items: [{ note: '*** and ***', hex: '***' }], id: 7 };
  expect(result.outcome).toEqual({ isSuccess: true, output: masked });
  expect(rows.get(1)).toMatchObject({
    fields: { name: 'by ***', pin: '***' },
    outcome: { isSuccess: true, output: masked },
  });
});

test('a connection without a licence is refused before the inputs are checked, and nothing is executed', async () => {
  const { execute, calls, rows } = world({ isLicensed: false });
  await expect(execute({ fields: {} })).rejects.toMatchObject({ code: 'CONNECTION_BLOCKED' });
  expect([calls.length, rows.size]).toEqual([0, 0]);
});

test('invalid inputs and an invalid query are named together; no vendor is called and no row is left', async () => {
  const { execute, calls, rows } = world();
  const refusal = execute({ fields: { name: 1 }, top: 0, sorts: [{ field: 'nope', direction: 'asc' }] });
  await expect(refusal).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'fields.name' }, { field: 'sorts[0].field' }, { field: 'top' }],
  });
  expect([calls.length, rows.size]).toEqual([0, 0]);
});

const OPEN_FIELDS: World = {
  tool: { filters: { max: 2, fields: ['*'], query: null }, sorts: { max: 1, fields: ['*'], query: null } },
  vendor: () =>
    Promise.resolve({
      isSuccess: false,
      errorMessage: 'filters[0].field: must be one of: name',
      attempts: 1,
      isUnauthorized: false,
      inputIssues: [{ field: `filters[0].${SECRET}`, issue: `must be one of: name, ${SECRET}` }],
    }),
};
const BY_NOPE = [{ field: 'nope', operator: 'eq' as const, value: 'a' }];

test('fields that only the vendor knows are refused when it does not know them, and no row is left', async () => {
  const { execute, rows } = world(OPEN_FIELDS);
  await expect(execute({ filters: BY_NOPE })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'filters[0].***', issue: 'must be one of: name, ***' }],
  });
  await expect(execute({ sorts: [{ field: 'nope', direction: 'asc' }] })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
  expect(rows.size).toBe(0);
});

test('a tool of an account’s own application that calls itself read-only is never refused once its vendor was called', async () => {
  const deps = {
    catalog: catalogOf(toolDefinition(OPEN_FIELDS.tool), connectorHead(), { isPlatform: false }),
  };
  const { execute, rows } = world({ ...OPEN_FIELDS, deps });
  expect((await execute({ filters: BY_NOPE })).outcome.isSuccess).toBe(false);
  expect(rows.size).toBe(1);
});

test('a call for which there is no capacity is refused until later, whatever it does, and leaves no row', async () => {
  const { execute, rows } = world({
    tool: { retryClass: 'unsafe' },
    vendor: () =>
      Promise.resolve({
        isSuccess: false,
        errorMessage: `Too many calls are waiting for ${SECRET}.`,
        attempts: 1,
        isUnauthorized: false,
        isOverloaded: true,
      }),
  });
  await expect(execute({})).rejects.toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    message: 'Too many calls are waiting for ***.',
    retryAfterSeconds: 1,
  });
  expect(rows.size).toBe(0);
});

test('a query whose fields the vendor knows has its row, whatever its outcome', async () => {
  for (const isSuccess of [true, false]) {
    const { execute, rows } = world({
      ...OPEN_FIELDS,
      vendor: () =>
        Promise.resolve(
          isSuccess
            ? { isSuccess, output: { items: [] }, attempts: 1 }
            : { isSuccess, errorMessage: 'down', attempts: 1, isUnauthorized: false },
        ),
    });
    const result = await execute({ filters: BY_NOPE });
    expect(result).toMatchObject({ outcome: { isSuccess }, historyId: 1 });
    expect([...rows.values()]).toMatchObject([
      { isSettled: true, outcome: result.outcome, info: { attempts: 1 } },
    ]);
  }
});

test('a call with effects is never refused once its vendor was called, whatever the vendor reports', async () => {
  const { execute, rows } = world({ ...OPEN_FIELDS, tool: { ...OPEN_FIELDS.tool, retryClass: 'unsafe' } });
  await expect(execute({ filters: BY_NOPE })).resolves.toMatchObject({ outcome: { isSuccess: false } });
  expect(rows.get(1)).toMatchObject({ isSettled: true, outcome: { isSuccess: false } });
});

test('a connection that needs a sign-in is a result with a row that shows no value, because any could be a secret', async () => {
  const { execute, calls, rows } = world({ credential: { kind: 'none', errorMessage: 'Sign in again.' } });
  await expect(execute({ fields: { name: SECRET } })).resolves.toMatchObject({
    outcome: { isSuccess: false, errorMessage: 'Sign in again.' },
    historyId: 1,
    info: { attempts: 0 },
  });
  expect(calls).toEqual([]);
  expect(rows.get(1)).toMatchObject({ isSettled: true, fields: { name: '***' } });
});

test('a method that the application no longer has is a result, not a defect', async () => {
  const { execute } = world({
    deps: { catalog: catalogOf(toolDefinition(), connectorHead({ authenticationMethods: [] })) },
  });
  await expect(execute()).resolves.toMatchObject({ outcome: { isSuccess: false }, historyId: 1 });
});

test('a dry run returns what would be sent with secrets masked, calls no vendor and leaves no row', async () => {
  const authorization = `Basic ${Buffer.from(`user:${SECRET}`).toString('base64')}`;
  const { execute, calls, rows } = world({
    preview: {
      type: 'http',
      method: 'POST',
      url: `http://vendor.test/?key=${SECRET}`,
      headers: { authorization },
      body: { k: SECRET },
    },
  });
  const result = await execute({ dryRun: true });
  expect(result).toMatchObject({
    outcome: {
      isSuccess: true,
      output: {
        method: 'POST',
        url: 'http://vendor.test/?key=***',
        headers: { authorization: 'Basic ***' },
        body: { k: '***' },
      },
    },
    info: { attempts: 0, connectionId: 7 },
  });
  expect(result.historyId).toBeUndefined();
  expect([calls.length, rows.size]).toEqual([0, 0]);
});

test('a dry run of inputs that do not make a valid request says so', async () => {
  const { execute } = world({ preview: { type: 'refused', errorMessage: `No request with ${SECRET}` } });
  await expect(execute({ dryRun: true })).resolves.toMatchObject({
    outcome: { isSuccess: false, errorMessage: 'No request with ***' },
  });
});

test('a dry run is refused like a real one', async () => {
  await expect(world().execute({ dryRun: true, fields: {} })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
});

test('an output that does not match its schema is returned anyway, and the row notes it', async () => {
  const { execute, rows } = world({
    vendor: () => Promise.resolve({ isSuccess: true, output: { items: 'none' }, attempts: 1 }),
  });
  await expect(execute()).resolves.toMatchObject({ outcome: { isSuccess: true, output: { items: 'none' } } });
  expect(rows.get(1)?.outputMismatch).toEqual([{ field: 'output.items', issue: 'must be array' }]);
});

test('the row of a call that may have effects is written before the vendor is called, with an unknown outcome', async () => {
  const seen: unknown[] = [];
  const { execute, rows } = world({
    tool: { retryClass: 'unsafe' },
    vendor: () => {
      seen.push(...rows.values());
      return Promise.resolve({ isSuccess: true, output: {}, attempts: 1 });
    },
  });
  await execute();
  expect(seen).toMatchObject([{ isSettled: false, outcome: UNSETTLED_OUTCOME }]);
});

test('if the row cannot be created, the call is refused and no vendor is called', async () => {
  const { execute, calls } = world({ tool: { retryClass: 'unsafe' }, broken: 'insert' });
  await expect(execute()).rejects.toThrow('no database');
  expect(calls).toEqual([]);
});

test('if the outcome cannot be written, the caller still gets it and the id of the existing row', async () => {
  const { execute, rows } = world({ tool: { retryClass: 'unsafe' }, broken: 'settle' });
  await expect(execute()).resolves.toMatchObject({ outcome: { isSuccess: true }, historyId: 1 });
  expect(rows.get(1)?.isSettled).toBe(false);
});

test('the row is written even if the caller disconnects during the call', async () => {
  const caller = new AbortController();
  const { execute, rows, ctx } = world({
    vendor: () => {
      caller.abort();
      return Promise.resolve({ isSuccess: true, output: { made: true }, attempts: 1 });
    },
  });
  await execute({}, { ...ctx, signal: caller.signal });
  expect(rows.get(1)).toMatchObject({ isSettled: true, outcome: { isSuccess: true } });
});

test('a call gets the request’s remaining time, less a margin for the response, and never more than the setting', async () => {
  const short = world();
  await short.execute({}, { ...short.ctx, deadline: new Date(Date.now() + 10_000) });
  expect(short.timeouts[0]).toBeGreaterThan(0);
  expect(short.timeouts[0]).toBeLessThanOrEqual(9_500);
  const long = world();
  await long.execute({}, { ...long.ctx, deadline: new Date(Date.now() + 600_000) });
  expect(long.timeouts[0]).toBeLessThanOrEqual(30_000);
  const over = world();
  await expect(over.execute({}, { ...over.ctx, deadline: new Date(Date.now() - 1) })).rejects.toMatchObject({
    code: 'TIMEOUT',
  });
});

test('an output too deep to be sent on is a failure that says the call was made', async () => {
  let deep: Record<string, unknown> = {};
  for (let level = 0; level < 60; level += 1) deep = { deep };
  const { execute } = world({
    vendor: () =>
      Promise.resolve({ isSuccess: true, output: deep as ToolOutcome & Record<string, never>, attempts: 1 }),
  });
  await expect(execute()).resolves.toMatchObject({
    outcome: { isSuccess: false, errorMessage: expect.stringContaining('The call was made') as string },
    historyId: 1,
  });
});

test.each([
  ['fields', 'RATE_LIMIT_EXCEEDED'],
  ['output', undefined],
])(
  'where nobody can check the %s in time, a call is refused before anything happens, or goes on',
  async (part, code) => {
    const schemas: ExecutionPorts['schemas'] = {
      check: (_schema, _value, { root }) =>
        Promise.resolve(root === part ? { kind: 'overloaded' } : { kind: 'checked', issues: [] }),
    };
    const { execute, rows, calls } = world({ deps: { schemas } });
    const outcome = await execute().catch((error: unknown) => error);
    const happened = code === undefined ? 1 : 0;
    expect([calls.length, rows.size]).toEqual([happened, happened]);
    expect(outcome).toMatchObject(code === undefined ? { outcome: { isSuccess: true } } : { code });
  },
);
