import type { CallOptions, ToolOutcome } from '@fairlead/connector-runtime/call';
import { systemClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { CredentialResult } from '../../ports/connections.ts';
import { noFiles } from '../../testing/files.ts';
import { CallChanged } from '../../domain/call-changed.ts';
import type { Toolset } from '../../domain/toolset.ts';
import { connectorHead, toolDefinition } from '../../testing/fixtures.ts';
import { startedCall } from '../../testing/started-calls.ts';
import {
  catalogOf,
  connection,
  connectionsOf,
  maskingInPlace,
  MemoryHistory,
  platformSchemas,
} from '../../testing/tool-calls.ts';
import { toolset, withoutToolsets } from '../../testing/toolsets.ts';
import { performCall } from './perform-call.ts';

const OPENED: CredentialResult = {
  kind: 'credential',
  credential: { version: 1, fields: {}, secrets: [] },
};

/** Performs a call of a toolset, of which something else may be stored by then. */
async function perform(credential = OPENED, stored = toolset(), whileOpening?: Toolset) {
  const ctx = testContext();
  const history = new MemoryHistory();
  const called: unknown[] = [];
  const held = { toolset: stored };
  const deps = {
    ...withoutToolsets,
    ...noFiles,
    catalog: catalogOf(toolDefinition(), connectorHead()),
    connections: connectionsOf(connection(), credential),
    runtime: {
      async execute(call: unknown, { beforeSend }: CallOptions): Promise<ToolOutcome> {
        held.toolset = whileOpening ?? stored;
        const isWithdrawn = await beforeSend?.().then(
          () => false,
          () => true,
        );
        if (isWithdrawn === true)
          return { isSuccess: false, errorMessage: '', attempts: 0, isUnauthorized: false, isWithdrawn };
        called.push(call);
        return { isSuccess: true, output: {}, attempts: 1 };
      },
      preview: () => ({ type: 'http' as const, method: 'GET', url: '', headers: {}, body: null }),
    },
    history,
    schemas: platformSchemas(ctx.log),
    outputMasker: maskingInPlace,
    toolsets: { find: () => Promise.resolve(held.toolset) },
    clock: systemClock,
  };
  const { target, ...started } = startedCall({ readAt: systemClock.now() });
  const run = { ...started, target: { ...target, toolset: toolset() } };
  const result = await performCall(deps, ctx, run).catch((error: unknown) => error);
  return { result, called: called.length, rows: history.rows.size };
}

test('a call is made once and has a row', async () => {
  const { result, ...seen } = await perform();
  expect(result).toMatchObject({ outcome: { isSuccess: true }, historyId: 1, info: { attempts: 1 } });
  expect(seen).toEqual({ called: 1, rows: 1 });
});

test('a call without a credential has a row that says why, and is not made', async () => {
  const { result, ...seen } = await perform({ kind: 'none', errorMessage: 'Sign in again.' });
  expect(result).toMatchObject({
    outcome: { isSuccess: false, errorMessage: 'Sign in again.' },
    historyId: 1,
  });
  expect(seen).toEqual({ called: 0, rows: 1 });
});

test('a call whose toolset has changed is neither made nor recorded', async () => {
  const { result, ...seen } = await perform(OPENED, toolset({ tools: [] }));
  expect(result).toMatchObject({ code: 'UNAVAILABLE' });
  expect(seen).toEqual({ called: 0, rows: 0 });
});

test('a call whose toolset changes while its session is opened is not sent, and leaves no row', async () => {
  const { result, ...seen } = await perform(OPENED, toolset(), toolset({ tools: [] }));
  expect(result).toBeInstanceOf(CallChanged);
  expect(seen).toEqual({ called: 0, rows: 0 });
});
