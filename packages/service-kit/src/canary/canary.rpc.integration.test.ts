import type { ServiceImpl } from '@connectrpc/connect';
import { EchoService } from '@fairlead/connect-fast/testing/echo-service';
import { expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../clock.ts';
import { startNameServer } from '../testing/name-server.ts';
import { Closers } from '../lifecycle/lifecycle.ts';
import { openPeer } from '../lifecycle/open-resources.ts';
import { createRpcClient } from '../rpc/client.ts';
import type { RpcClient } from '../rpc/client.ts';
import { requestContext } from '../rpc/request.ts';
import type { RpcServer } from '../rpc/server.ts';
import { registry } from '../telemetry/service-metrics.ts';
import { testContext } from '../testing/context.ts';
import { captureLog } from '../testing/log-lines.ts';
import { addressFor, testTransport } from '../testing/peer.ts';
import { startEchoServer, testCallerKeys } from '../testing/rpc.ts';
import { createConfigurableCanaries } from './canaries.ts';
import type { Canaries } from './canaries.ts';
import type { CanaryRule } from './rules.ts';

// Half a minute on a free machine.
const LIMIT_MS = 600_000;
// The same in each run: among very many there is one whose share is far from the weight.
const ACCOUNTS = Array.from({ length: 2_000 }, (_account, at) => `acc_${String(at)}`);
const AT_ONCE = 32;
// 20 000 calls. Over gRPC, which costs several times as much, the balancing is the same.
const ROUNDS = testTransport === 'grpc' ? 1 : 10;

type Say = ServiceImpl<typeof EchoService>['say'];
type Repeat = ServiceImpl<typeof EchoService>['repeat'];

/** Canaries that obey this weight, without changes. */
function canariesOf(weight: number, o: Partial<Pick<CanaryRule, 'accounts'>> = {}) {
  const canaries = createConfigurableCanaries();
  canaries.follow({ isRead: () => true, of: () => undefined, subscribe: () => () => undefined });
  const setWeight = (next: number): void => {
    const rule: CanaryRule = { mode: 'gateway', weight: next, accounts: [], headers: [], salt: 'f', ...o };
    canaries.setRules(new Map([['echo', rule]]));
  };
  setWeight(weight);
  return { canaries, setWeight };
}

/** EchoService on two tracks, which are found by name: stable at 127.0.0.1, the canary at 127.0.0.2, on the same port. */
async function startTracks(o: { say?: (track: string) => Say; repeat?: (track: string) => Repeat } = {}) {
  const say = o.say ?? ((track) => () => ({ value: track }));
  const start = async (track: string, host: string, at?: RpcServer): Promise<RpcServer> => {
    const ports = at && {
      port: Number(new URL(at.httpUrl).port),
      grpcPort: Number(new URL(at.grpcUrl).port),
    };
    const repeat = o.repeat?.(track);
    const server = await startEchoServer(say(track), { host, ...ports, ...(repeat && { repeat }) });
    onTestFinished(() => server.close());
    return server;
  };
  const stable = await start('stable', '127.0.0.1');
  const canary = await start('canary', '127.0.0.2', stable);
  let hasCanary = true;
  const names = await startNameServer((name) => {
    if (name === 'echo.test') return { addresses: ['127.0.0.1'], ttlSeconds: 30 };
    return hasCanary ? { addresses: ['127.0.0.2'], ttlSeconds: 30 } : 'missing';
  });
  const port = Number(new URL(addressFor(stable)).port);
  const setting = { kind: 'dns', name: 'echo.test', port, nameServer: names.address } as const;

  async function connect(canaries: Canaries | undefined): Promise<RpcClient<typeof EchoService>> {
    const { log } = captureLog();
    const closers = new Closers(log);
    onTestFinished(() => closers.close());
    const parts = { name: 'caller', log, clock: systemClock, closers, canaries, track: 'stable' } as const;
    const peer = openPeer(parts, { RPC_TRANSPORT: testTransport }, 'echo', setting);
    if (canaries !== undefined)
      await vi.waitUntil(() => canaries.endpoints().get('echo') === 1, { timeout: LIMIT_MS });
    return createRpcClient(EchoService, { peer, callerKeys: testCallerKeys, clock: systemClock });
  }

  /** As a canary that is scaled to 0: its replicas serve until callers know. */
  async function removeCanary(canaries: Canaries): Promise<void> {
    hasCanary = false;
    await vi.waitUntil(() => canaries.endpoints().get('echo') === 0, { timeout: LIMIT_MS });
    await canary.close();
  }

  return { connect, removeCanary };
}

/** Makes `rounds` calls for each account; the tracks that answered each account. */
async function callAll(
  client: RpcClient<typeof EchoService>,
  rounds: number,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const answered = new Map(ACCOUNTS.map((accountId) => [accountId, new Set<string>()]));
  const calls = Array.from({ length: rounds }, () => ACCOUNTS).flat();
  const worker = async (): Promise<void> => {
    for (let accountId = calls.pop(); accountId !== undefined; accountId = calls.pop()) {
      const { value } = await client.say(testContext({ accountId }), { value: '' });
      answered.get(accountId)?.add(value);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return answered;
}

function accountsOn(track: string, answered: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  return new Set([...answered].filter(([, tracks]) => tracks.has(track)).map(([accountId]) => accountId));
}

function metric(name: string): number {
  const line = registry
    .render()
    .split('\n')
    .find((text) => text.startsWith(name));
  return Number(line?.split(' ').at(-1) ?? 0);
}

it(
  'many calls of 2 000 accounts: the share is the weight, an account sees one track, more weight moves none back, and a canary that is gone fails no call',
  { timeout: LIMIT_MS },
  async () => {
    const { connect, removeCanary } = await startTracks();
    const { canaries, setWeight } = canariesOf(10);
    const client = await connect(canaries);
    const atTen = await callAll(client, ROUNDS);
    expect([...atTen.values()].filter((tracks) => tracks.size !== 1)).toEqual([]);
    const first = accountsOn('canary', atTen);
    expect(first.size / ACCOUNTS.length).toBeGreaterThan(0.08);
    expect(first.size / ACCOUNTS.length).toBeLessThan(0.12);

    setWeight(25);
    const second = accountsOn('canary', await callAll(client, 1));
    expect(second.size / ACCOUNTS.length).toBeGreaterThan(0.22);
    expect(second.size / ACCOUNTS.length).toBeLessThan(0.28);
    expect([...first].filter((accountId) => !second.has(accountId))).toEqual([]);

    const before = metric('canary_fallbacks_total{service="echo"}');
    const meanwhile = callAll(client, 1);
    await removeCanary(canaries);
    await meanwhile;
    expect(accountsOn('canary', await callAll(client, 1)).size).toBe(0);
    expect(metric('canary_fallbacks_total{service="echo"}') - before).toBeGreaterThanOrEqual(second.size);
  },
);

it('calls are counted by the track that they were sent to', async () => {
  const { connect } = await startTracks();
  const client = await connect(canariesOf(0, { accounts: ['acc_pinned'] }).canaries);
  const count = (track: string): number => {
    const labels = `service="${EchoService.typeName}",method="Say",code="OK",track="${track}"`;
    return metric(`rpc_client_duration_seconds_count{${labels}}`);
  };
  const before = { stable: count('stable'), canary: count('canary') };
  await client.say(testContext({ accountId: 'acc_pinned' }), { value: '' });
  await client.say(testContext({ accountId: 'acc_other' }), { value: '' });
  expect({ stable: count('stable'), canary: count('canary') }).toEqual({
    stable: before.stable + 1,
    canary: before.canary + 1,
  });
});

it('streams reach the canary too', async () => {
  const { connect } = await startTracks({
    repeat: (track) =>
      async function* repeat() {
        yield await Promise.resolve({ value: track });
      },
  });
  const client = await connect(canariesOf(0, { accounts: ['acc_pinned'] }).canaries);
  const read = async (accountId: string): Promise<string[]> => {
    const values: string[] = [];
    for await (const { value } of client.repeat(testContext({ accountId }), {})) values.push(value);
    return values;
  };
  expect(await read('acc_pinned')).toEqual(['canary']);
  expect(await read('acc_other')).toEqual(['stable']);
});

it('a choice that was made once holds at the next service, whatever that one would choose', async () => {
  let second: RpcClient<typeof EchoService> | undefined;
  const { connect } = await startTracks({
    say:
      (track) =>
      async ({ value }, h) => {
        const ctx = requestContext(h);
        if (value !== 'on') return { value: `${track} ${String(ctx.canaries)}` };
        const onward = await second?.say(ctx, { value: 'end' });
        return { value: `${track}, ${onward?.value}` };
      },
  });
  const first = await connect(canariesOf(100).canaries);
  // Open for pinned accounts and headers.
  second = await connect(canariesOf(0).canaries);
  const say = async (canaries?: readonly string[]): Promise<string> =>
    (await first.say({ ...testContext(), canaries }, { value: 'on' })).value;
  expect(await say()).toBe('canary, canary echo');
  expect(await say(['echo'])).toBe('canary, canary echo');
  expect(await say([])).toBe('stable, stable ');
});

it('a canary that was closed since the choice gets no call', async () => {
  const { connect } = await startTracks();
  const { canaries } = canariesOf(100);
  const client = await connect(canaries);
  const ctx = { ...testContext(), canaries: ['echo'] };
  expect((await client.say(ctx, { value: '' })).value).toBe('canary');
  canaries.setRules(new Map());
  expect((await client.say(ctx, { value: '' })).value).toBe('stable');
});

it('a service that does not use canaries calls stable, and passes the choice on', async () => {
  const { connect } = await startTracks({
    say: (track) => (_request, h) => ({ value: `${track} ${String(requestContext(h).canaries)}` }),
  });
  const client = await connect(undefined);
  expect((await client.say(testContext(), { value: '' })).value).toBe('stable undefined');
  const ctx = { ...testContext(), canaries: ['tools'] };
  expect((await client.say(ctx, { value: '' })).value).toBe('stable tools');
});
