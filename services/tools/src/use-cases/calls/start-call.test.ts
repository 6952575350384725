import type { JsonObject } from '@fairlead/connector-model/json';
import type { CallOptions, ToolCall } from '@fairlead/connector-runtime/call';
import type { ClientDescription } from '@fairlead/connector-runtime/mcp/calling-client';
import { validationError } from '@fairlead/errors/api-error';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { systemTimers } from '@fairlead/service-kit/timers';
import { expect, onTestFinished, test } from 'vitest';
import { ProcessRunningCalls } from '../../detached-calls/running-calls.ts';
import { toolDefinition } from '../../testing/fixtures.ts';
import { MemoryCalls } from '../../testing/memory-calls.ts';
import { workflowDeps } from '../../testing/memory-workflows.ts';
import { toolRequest } from '../../testing/tool-calls.ts';
import { startCall } from './start-call.ts';

const { toolSlug } = toolDefinition();
const HOUR = 3_600_000;
const CLIENT: ClientDescription = {
  capabilities: { roots: {} },
  wantsProgress: false,
  takesInputRequired: true,
};

/** A vendor that answers when the test tells it to. */
function setUp(o: { readonly refused?: Error; readonly asks?: boolean } = {}) {
  const { ctx, deps } = workflowDeps();
  const detachedCalls = new MemoryCalls();
  const announced: string[] = [];
  const { promise: answer, resolve: respond } = Promise.withResolvers<void>();
  const { promise: aborted, resolve: abort } = Promise.withResolvers<void>();
  const { promise: called, resolve: call } = Promise.withResolvers<void>();
  const runtime = {
    ...deps.runtime,
    execute: async (_call: ToolCall, run: CallOptions) => {
      call();
      if (o.asks === true) await run.client?.request('roots/list', {});
      run.signal.addEventListener('abort', () => abort(), { once: true });
      await Promise.race([answer, aborted]);
      return { isSuccess: true as const, output: { n: 1 }, attempts: 1 };
    },
  };
  const runningCalls = new ProcessRunningCalls({
    calls: detachedCalls,
    changes: { announce: (callId) => announced.push(callId) },
    timers: systemTimers,
    log: createLogger({ service: 'test', level: 'silent' }),
    graceMs: 0,
  });
  onTestFinished(() => runningCalls.close());
  const catalog = {
    ...deps.catalog,
    ...(o.refused && { resolveTool: () => Promise.reject(o.refused ?? new Error('none')) }),
  };
  const { promise: roots, resolve: answerRoots } = Promise.withResolvers<JsonObject>();
  const clientRequests = { open: () => ({ key: 'ask_1', answer: roots }) };
  const start = (waitMs: number, signal = ctx.signal) =>
    startCall(
      { ...deps, catalog, runtime, detachedCalls, runningCalls, clientRequests },
      { ...ctx, signal },
      {
        call: toolRequest({ toolSlug }),
        client: CLIENT,
        serverId: 's',
        toolName: 'echo',
        waitMs,
        ttlMs: undefined,
      },
      (settled) => ({
        outcome: Buffer.from('result' in settled ? 'a result' : 'an error'),
        isFailed: 'error' in settled,
      }),
    );
  return { start, answerRoots, respond, aborted, called, detachedCalls, announced };
}

test('a call that ends in time returns its result, and nothing is kept', async () => {
  const { start, respond, detachedCalls } = setUp();
  respond();
  expect(await start(HOUR)).toMatchObject({ outcome: { isSuccess: true } });
  expect(detachedCalls.calls.size).toBe(0);
});

test('a refusal in time is an error', async () => {
  const { start } = setUp({ refused: validationError({ field: 'toolSlug', issue: 'is none' }) });
  await expect(start(HOUR)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});

test('a call that takes longer is stored by a process that is alive, and its outcome once it ends', async () => {
  const { start, respond, detachedCalls, announced } = setUp();
  const started = await start(0);
  expect(started).toMatchObject({ toolName: 'echo', end: undefined });
  expect(detachedCalls.beats).toHaveLength(1);
  respond();
  await expect.poll(() => announced).toHaveLength(1);
  expect([...detachedCalls.calls.values()]).toMatchObject([
    { end: { kind: 'outcome', outcome: Buffer.from('a result') } },
  ]);
});

test('a call whose tool asks the client is stored with the request, until that is answered', async () => {
  const { start, answerRoots, detachedCalls } = setUp({ asks: true });
  const stored = () => [...detachedCalls.calls.values()];
  const started = await start(HOUR);
  expect(started).toMatchObject({ requests: [{ key: 'ask_1', method: 'roots/list', params: '{}' }] });
  answerRoots({ roots: [] });
  await expect.poll(stored).toMatchObject([{ requests: [], end: undefined }]);
});

test('without room the call is refused, and ends', async () => {
  const { start, detachedCalls, called, aborted } = setUp();
  detachedCalls.isFull = true;
  const starting = start(0);
  await expect(starting).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  // The call may have been aborted before its vendor was called.
  await Promise.race([called.then(() => aborted), starting.catch(() => undefined)]);
});

test('a caller who disconnects before the call is stored cancels it', async () => {
  const { start, aborted, called, detachedCalls } = setUp();
  const caller = new AbortController();
  const starting = start(HOUR, caller.signal);
  await called;
  caller.abort(new Error('gone'));
  await expect(starting).rejects.toThrow('gone');
  await aborted;
  expect(detachedCalls.calls.size).toBe(0);
});
