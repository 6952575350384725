import type { ToolOutcome } from '@fairlead/connector-runtime/call';
import { notFound } from '@fairlead/errors/api-error';
import { systemClock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import { testContext } from '@fairlead/service-kit/testing/context';
import { onePermit } from '@fairlead/service-kit/testing/permits';
import { expect, test } from 'vitest';
import { CallerRefusedError } from '../../domain/caller-refused-error.ts';
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

/** An account limited to one tool at a time; its first execution is at a vendor that does not answer. */
async function busy() {
  const ctx = testContext({ accountId: 'acc_1' });
  const vendor = Promise.withResolvers<ToolOutcome>();
  const timeouts: number[] = [];
  const opened: number[] = [];
  const history = new MemoryHistory();
  const connections = connectionsOf(connection(), {
    kind: 'credential',
    credential: { version: 1, fields: {}, secrets: [] },
  });
  const permits = onePermit();
  let asking = 0;
  const deps = {
    ...withoutToolsets,
    // The tool is unsafe, so its history row is written before the call.
    catalog: catalogOf(toolDefinition({ retryClass: 'unsafe' }), connectorHead()),
    connections: {
      ...connections,
      getCredentials: (...args: Parameters<typeof connections.getCredentials>) => {
        opened.push(args[1]);
        return connections.getCredentials(...args);
      },
    },
    runtime: {
      execute(_call: unknown, options: { readonly timeoutMs: number }) {
        timeouts.push(options.timeoutMs);
        return vendor.promise;
      },
      preview: () => ({ type: 'http' as const, method: 'GET', url: '', headers: {}, body: null }),
    },
    history,
    schemas: platformSchemas(ctx.log),
    outputMasker: maskingInPlace,
    ...noFiles,
    checkPermits: onePermit(),
    permits: {
      run<R>(...args: Parameters<typeof permits.run<R>>): Promise<R> {
        asking += 1;
        return permits.run(...args);
      },
    },
    clock: systemClock,
    timeoutMs: 30_000,
  };
  const execute = (o: Partial<ExecuteToolRequest> & { signal?: AbortSignal; accountId?: string } = {}) =>
    executeTool(
      deps,
      { ...testContext({ accountId: o.accountId ?? 'acc_1' }), signal: o.signal ?? ctx.signal },
      toolRequest(o),
    );
  const first = execute();
  await expect.poll(() => timeouts.length).toBe(1);
  const free = async () => {
    vendor.resolve({ isSuccess: true, output: {}, attempts: 1 });
    await first;
  };
  /** Resolves when this many calls wait for the first one's permit. */
  const waiting = (count: number) => expect.poll(() => asking - 1).toBe(count);
  return {
    deps,
    execute,
    free,
    waiting,
    seen: () => [opened.length, timeouts.length, history.rows.size],
    timeouts,
  };
}

const ONE = [1, 1, 1];

test('a call that gets no permit in time is refused: no vendor called, no row', async () => {
  const { deps, execute, seen, free } = await busy();
  // Timeout of the waiting call only; the first one needs longer, to be at its vendor for the whole test.
  deps.timeoutMs = 1_000;
  await expect(execute()).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: 1 });
  expect(seen()).toEqual(ONE);
  await free();
});

test('a call whose caller leaves while it waits never runs', async () => {
  const { execute, seen, free } = await busy();
  const caller = new AbortController();
  const gone = execute({ signal: caller.signal });
  const after = execute();
  caller.abort();
  await expect(gone).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(seen()).toEqual(ONE);
  await free();
  await expect(after).resolves.toMatchObject({ outcome: { isSuccess: true } });
  expect(seen()).toEqual([2, 2, 2]);
});

test('a licence or a connection that ended during the wait refuses the call as it would a new one', async () => {
  const { deps, execute, seen, free, waiting } = await busy();
  const [blocked, gone] = [execute(), execute()];
  await waiting(2);
  const states = [
    () => Promise.resolve(connection({ isLicensed: false })),
    () => Promise.reject(notFound('connection')),
  ];
  deps.connections.getConnection = () =>
    states.shift()?.() ?? Promise.reject(new Error('only two calls wait'));
  // Awaited together, because either may settle first.
  await Promise.all([
    expect(blocked).rejects.toMatchObject({ code: 'CONNECTION_BLOCKED' }),
    expect(gone).rejects.toMatchObject({ code: 'NOT_FOUND' }),
    free(),
  ]);
  expect(seen()).toEqual(ONE);
});

test('a call whose caller may not act any more when it gets its permit is refused', async () => {
  const { deps, execute, seen, free, waiting } = await busy();
  const refused = execute();
  await waiting(1);
  deps.callers = { requireCurrent: () => Promise.reject(new CallerRefusedError('inactiveUser')) };
  await Promise.all([expect(refused).rejects.toMatchObject({ code: 'ACCOUNT_USER_INACTIVE' }), free()]);
  expect(seen()).toEqual(ONE);
});

test('refusals of the contract do not wait for a permit', async () => {
  const { execute, free } = await busy();
  await expect(execute({ fields: {} })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  await free();
});

test('a dry run needs a permit too, because a token may have to be refreshed for it', async () => {
  const { execute, seen, free } = await busy();
  const preview = execute({ dryRun: true });
  const real = execute();
  await free();
  await expect(preview).resolves.toMatchObject({ outcome: { isSuccess: true }, historyId: undefined });
  await real;
  expect(seen()).toEqual([3, 2, 2]);
});

test('calls of an account are checked as many at once as may be; those of another account are not kept waiting', async () => {
  const { deps, execute, free } = await busy();
  await free();
  const asked: string[] = [];
  const catalogue = Promise.withResolvers<void>();
  const known = catalogOf(toolDefinition(), connectorHead());
  deps.catalog.resolveTool = async (ctx, ...rest) => {
    asked.push(accountOf(ctx));
    await catalogue.promise;
    return known.resolveTool(ctx, ...rest);
  };
  const calls = [execute(), execute(), execute({ accountId: 'acc_2' })];
  await expect.poll(() => asked.length).toBe(2);
  expect(asked).toEqual(['acc_1', 'acc_2']);
  catalogue.resolve();
  await Promise.all(calls);
  expect(asked).toEqual(['acc_1', 'acc_2', 'acc_1']);
});

test('inputs above what may wait are refused at once, what the tool does not know included', async () => {
  const { execute, seen, free } = await busy();
  const fields = { name: 'Ada', unknown: 'x'.repeat(9 * 1024 * 1024) };
  const waits = execute({ fields });
  await expect(execute({ fields })).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  expect(seen()).toEqual(ONE);
  await free();
  await waits;
});
