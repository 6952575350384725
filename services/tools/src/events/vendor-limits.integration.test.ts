import type { ToolOutcome } from '@fairlead/connector-runtime/call';
import { ConnectionLimitedSchema } from '@fairlead/contracts/tools/v1/limit_events_pb';
import { ManualClock } from '@fairlead/service-kit/clock';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import { connectNats } from '@fairlead/service-kit/nats/nats';
import { Secret } from '@fairlead/service-kit/secret';
import { createAccountPermits } from '@fairlead/service-kit/permits/account-permits';
import type { AccountPermits } from '@fairlead/service-kit/permits/account-permits';
import { WAITING_LIMITS } from '@fairlead/service-kit/permits/permit-queue';
import { testContext } from '@fairlead/service-kit/testing/context';
import { onePermit } from '@fairlead/service-kit/testing/permits';
import { VirtualTime } from '@fairlead/service-kit/testing/virtual-time';
import { randomUUID } from 'node:crypto';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { connectorHead, toolDefinition } from '../testing/fixtures.ts';
import { noFiles } from '../testing/files.ts';
import {
  catalogOf,
  connection,
  connectionsOf,
  maskingInPlace,
  MemoryHistory,
  platformSchemas,
  toolRequest,
} from '../testing/tool-calls.ts';
import { toolset, withoutToolsets } from '../testing/toolsets.ts';
import { executeTool } from '../use-cases/executions/execute-tool.ts';
import type { ExecutionPorts } from '../ports/execution-ports.ts';
import type { ExecuteToolRequest } from '../use-cases/executions/execute-tool.ts';
import { createVendorLimits } from './vendor-limits.ts';
import type { ReplicatedVendorLimits } from './vendor-limits.ts';

const accountId = `acc_${randomUUID()}`;

/** A vendor called by several replicas. */
interface Vendor {
  readonly calls: string[];
  /** The limit that the next call gets. */
  limitsForMs: number;
}

/** A replica of the service with its own NATS connection; `time` ends its limits. */
async function replica(
  name: string,
  vendor: Vendor,
  { timeoutMs, time }: { timeoutMs: number; time: VirtualTime },
) {
  const ctx = testContext({ accountId });
  const nats = await connectNats({ url: new Secret(inject('natsUrl')), name, log: ctx.log });
  const limits: ReplicatedVendorLimits = createVendorLimits({
    nats,
    clock: time,
    timers: time.timers(() => true),
    log: ctx.log,
    onEnd: (account) => permits.wake(account),
  });
  // Messages are ordered: after this message, the server also has the subscription.
  const isSubscribed = (): Promise<boolean> =>
    nats.publish(defineEvent(ConnectionLimitedSchema), { accountId: `acc_${randomUUID()}` }).then(
      () => true,
      () => false,
    );
  await vi.waitUntil(isSubscribed, { timeout: 90_000 });
  const permits: AccountPermits = createAccountPermits(
    { perAccount: 10, perPartition: 5, ...WAITING_LIMITS },
    undefined,
    (account, partition) => limits.isLimited(account, Number(partition)),
  );
  let asked = 0;
  let reads = 0;
  onTestFinished(async () => {
    limits.close();
    permits.close();
    await nats.close();
  });
  const history = new MemoryHistory();
  const credential = (version: number) => ({ version, fields: {}, secrets: [] });
  const execute = (
    o: Partial<ExecuteToolRequest> & { readonly id?: number; readonly version?: number } = {},
  ) => {
    const { id = 7, version = 1, ...request } = o;
    const opened = { kind: 'credential' as const, credential: credential(version) };
    const only = connection({ id, credential: credential(version) });
    const deps: ExecutionPorts = {
      ...withoutToolsets,
      catalog: catalogOf(toolDefinition(), connectorHead()),
      toolsets: { find: () => Promise.resolve(toolset({ connectionIds: [id] })) },
      connections: {
        ...connectionsOf(only, opened),
        getConnection() {
          reads += 1;
          return Promise.resolve(only);
        },
        // Messages contain no credential.
        findConnections: () => Promise.resolve([connection({ id })]),
      },
      runtime: {
        async execute(_call, { onLimited }): Promise<ToolOutcome> {
          vendor.calls.push(`${name} ${id}`);
          if (vendor.limitsForMs > 0) onLimited?.(vendor.limitsForMs);
          vendor.limitsForMs = 0;
          return { isSuccess: true, output: {}, attempts: 1 };
        },
        preview: () => ({ type: 'http', method: 'GET', url: '', headers: {}, body: null }),
      },
      history,
      schemas: platformSchemas(ctx.log),
      outputMasker: maskingInPlace,
      ...noFiles,
      checkPermits: onePermit(),
      permits: {
        run(...o) {
          asked += 1;
          return permits.run(...o);
        },
      },
      vendorLimits: limits,
      // The clock stands still: otherwise a slow call would read its connection again.
      clock: new ManualClock(new Date()),
      timeoutMs,
    };
    return executeTool(deps, testContext({ accountId }), toolRequest(request));
  };
  /** Number of calls that passed their checks, and called the vendor or wait. */
  const ready = () => asked;
  /** Number of reads of a connection with its credential. */
  const read = () => reads;
  return { execute, limits, history, ready, read };
}

async function replicas(timeoutMs: number) {
  const vendor: Vendor = { calls: [], limitsForMs: 0 };
  const time = new VirtualTime(Date.now());
  const o = { timeoutMs, time };
  const [one, other] = [await replica('one', vendor, o), await replica('other', vendor, o)];
  const limit = async (forMs: number) => {
    vendor.limitsForMs = forMs;
    await one.execute();
    await vi.waitUntil(() => other.limits.isLimited(accountId, 7), { timeout: 90_000 });
  };
  return { time, vendor, one, other, limit };
}

test('what one replica is told of a limit holds on all: a call that cannot wait says when, and the vendor is not called', async () => {
  const { vendor, one, other, limit } = await replicas(30_000);
  await limit(600_000);
  for (const each of [one, other]) {
    const { outcome, historyId, info } = await each.execute();
    expect(outcome).toMatchObject({
      isSuccess: false,
      errorMessage: expect.stringMatching(
        /^crm takes no further calls of this connection until 20\d\d-.*Z: its rate limit is reached\. Nothing was sent\.$/,
      ) as string,
    });
    expect(each.history.rows.get(historyId ?? 0)).toMatchObject({
      isSettled: true,
      info: { attempts: 0 },
    });
    expect(info.attempts).toBe(0);
  }
  expect(vendor.calls).toEqual(['one 7']);
  // Other connections of the application, and calls without a vendor, are not limited.
  expect(await other.execute({ id: 8 })).toMatchObject({ outcome: { isSuccess: true } });
  expect(await other.execute({ dryRun: true })).toMatchObject({ outcome: { isSuccess: true } });
  expect(vendor.calls).toEqual(['one 7', 'other 8']);
});

test('calls that have the time wait for the end of a limit on every replica, and then run', async () => {
  const { time, vendor, one, other, limit } = await replicas(120_000);
  await limit(60_000);
  const calls = [one.execute(), other.execute(), other.execute()];
  // One of the calls had called the vendor before.
  await vi.waitUntil(() => one.ready() + other.ready() === 1 + calls.length, { timeout: 90_000 });
  await new Promise(setImmediate);
  await time.runUntil(time.nowMs + 59_999);
  expect(vendor.calls).toEqual(['one 7']);
  await time.runUntil(time.nowMs + 1);
  const results = await Promise.all(calls);
  expect(results.map(({ outcome }) => outcome.isSuccess)).toEqual([true, true, true]);
  expect(vendor.calls.toSorted()).toEqual(['one 7', 'one 7', 'other 7', 'other 7']);
});

test('a changed credential ends a limit', async () => {
  const { vendor, other, limit } = await replicas(30_000);
  await limit(600_000);
  expect(await other.execute({ version: 2 })).toMatchObject({ outcome: { isSuccess: true } });
  expect(vendor.calls).toEqual(['one 7', 'other 7']);
});

test('a changed credential ends a limit for a call by toolset too, which reads its version only while there is a limit', async () => {
  const { vendor, one, other, limit } = await replicas(30_000);
  const toolsetId = toolset().id;
  expect(await other.execute({ toolsetId })).toMatchObject({ outcome: { isSuccess: true } });
  expect(other.read()).toBe(0);
  await limit(600_000);
  expect(await other.execute({ toolsetId })).toMatchObject({ outcome: { isSuccess: false } });
  expect(other.read()).toBe(1);
  expect(await other.execute({ toolsetId, dryRun: true })).toMatchObject({ outcome: { isSuccess: true } });
  expect(other.read()).toBe(1);
  expect(await other.execute({ toolsetId, version: 2 })).toMatchObject({ outcome: { isSuccess: true } });
  expect(await other.execute({ toolsetId, version: 2 })).toMatchObject({ outcome: { isSuccess: true } });
  expect(other.read()).toBe(2);
  expect(vendor.calls).toEqual(['other 7', 'one 7', 'other 7', 'other 7']);
  expect(one.read()).toBe(0);
});
