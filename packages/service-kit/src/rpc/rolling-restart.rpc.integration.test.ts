import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { EchoService } from '@fairlead/connect-fast/testing/echo-service';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../clock.ts';
import { openDnsAddresses } from '../discovery/dns-addresses.ts';
import { startNameServer } from '../testing/name-server.ts';
import { createRpcClient } from './client.ts';
import type { RpcPeer } from './peer.ts';
import type { RpcServer } from './server.ts';
import { testContext } from '../testing/context.ts';
import { captureLog } from '../testing/log-lines.ts';
import { addressFor, testPeer, testPeerAt, testTransport } from '../testing/peer.ts';
import { startEchoServer, testCallerKeys } from '../testing/rpc.ts';

type Addresses = Pick<RpcServer, 'httpUrl' | 'grpcUrl'>;

interface Replica extends Addresses {
  readonly process: ChildProcess;
  readonly exited: Promise<unknown[]>;
}

// Takes seconds on an idle machine, but other tests' calls may run at the same time.
const LIMIT_MS = 180_000;
const CALLS = 2_000;
const FEW_CALLS = 600;
const AT_ONCE = 32;
const PROGRAM = fileURLToPath(new URL('../testing/echo-replica.ts', import.meta.url));

const processes: ChildProcess[] = [];
const peers: RpcPeer[] = [];

afterEach(async () => {
  await Promise.all(peers.splice(0).map((peer) => peer.close()));
  for (const process of processes.splice(0)) process.kill('SIGKILL');
});

/** Starts a replica, on the ports of another one if given, at any loopback address. */
async function startReplica(at?: Addresses, host = '127.0.0.1'): Promise<Replica> {
  const ports = at && { PORT: new URL(at.httpUrl).port, GRPC_PORT: new URL(at.grpcUrl).port };
  const env = { ...ports, HOST: host };
  const child = fork(PROGRAM, { execArgv: [], env: { ...process.env, ...env } });
  processes.push(child);
  const exited = once(child, 'exit');
  const [message] = (await once(child, 'message')) as unknown[];
  return {
    process: child,
    exited,
    ...z.object({ httpUrl: z.string(), grpcUrl: z.string() }).parse(message),
  };
}

interface Calls {
  /** All failures, once the last call has ended. */
  readonly failures: Promise<unknown[]>;
  /** The number of calls that each replica has answered so far. */
  readonly answeredBy: ReadonlyMap<string, number>;
}

/** Makes at least `calls` calls without a pause, until `isOver`; `onCall` gets the number of answered calls. */
function callAll(
  peer: RpcPeer,
  {
    calls = CALLS,
    onCall,
    isOver = () => true,
  }: { calls?: number; onCall: (answered: number) => unknown; isOver?: () => boolean },
): Calls {
  peers.push(peer);
  const client = createRpcClient(EchoService, { peer, callerKeys: testCallerKeys, clock: systemClock });
  const failures: unknown[] = [];
  const answeredBy = new Map<string, number>();
  let started = 0;
  let answered = 0;
  const worker = async (): Promise<void> => {
    while (started < calls || !isOver()) {
      started += 1;
      try {
        const { value } = await client.say(testContext(), { value: 'hello' });
        answeredBy.set(value, (answeredBy.get(value) ?? 0) + 1);
      } catch (error) {
        failures.push(error);
      }
      answered += 1;
      onCall(answered);
    }
  };
  const ended = Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { failures: ended.then(() => failures), answeredBy };
}

it(
  'SIGTERM of one replica while calls run: none of 2 000 fails, and it exits in order',
  { timeout: LIMIT_MS },
  async () => {
    const [first, second] = await Promise.all([startReplica(), startReplica()]);
    const by = ({ process }: Replica): number => answeredBy.get(`hello from ${String(process.pid)}`) ?? 0;
    let isStopping = false;
    let bySecondAtEnd = Infinity;
    const { failures, answeredBy } = callAll(testPeer('echo', first, second), {
      onCall() {
        if (isStopping || by(first) < CALLS / 20) return;
        isStopping = true;
        first.process.kill('SIGTERM');
        void first.exited.then(() => (bySecondAtEnd = by(second)));
      },
      isOver: () => by(second) >= bySecondAtEnd + CALLS / 20,
    });
    expect(await failures).toEqual([]);
    expect(await first.exited).toEqual([0, null]);
    expect(by(second)).toBeGreaterThan(CALLS / 20);
  },
);

it(
  'one replica after the other is restarted at its address: none of 2 000 fails',
  { timeout: LIMIT_MS },
  async () => {
    const olds = await Promise.all([startReplica(), startReplica()]);
    const news: Promise<Replica>[] = [];
    const restart = async (old: Replica): Promise<Replica> => {
      old.process.kill('SIGTERM');
      await old.exited;
      return startReplica(old);
    };
    let restarting = false;
    let isRestarted = false;
    const onCall = (answered: number): void => {
      if (restarting || answered < CALLS / 10) return;
      restarting = true;
      const [first, second] = olds;
      if (first === undefined || second === undefined) return;
      const renewed = restart(first);
      const both = renewed.then(() => restart(second));
      news.push(renewed, both);
      void both.finally(() => (isRestarted = true));
    };
    const isOver = (): boolean => isRestarted;
    const { failures, answeredBy } = callAll(testPeer('echo', ...olds), { onCall, isOver });
    expect(await failures).toEqual([]);
    const replicas = await Promise.all(news);
    expect(replicas).toHaveLength(2);
    expect([...answeredBy.keys()].length).toBeGreaterThanOrEqual(2);
  },
);

it(
  'stops at the moment at which its last client leaves and another connects fail no call',
  async () => {
    const serve = (at?: Addresses): Promise<RpcServer> =>
      startEchoServer(
        async ({ value }) => {
          await delay(Math.random() * 4);
          return { value };
        },
        {
          graceMs: 10_000,
          ...(at && { port: Number(new URL(at.httpUrl).port), grpcPort: Number(new URL(at.grpcUrl).port) }),
        },
      );
    const servers = [await serve(), await serve()];
    const peer = testPeer('echo', ...servers);
    peers.push(peer);
    const client = createRpcClient(EchoService, { peer, callerKeys: testCallerKeys, clock: systemClock });
    const failures: unknown[] = [];
    let answered = 0;
    const stop = new AbortController();
    // So few that often all of them are between two calls.
    const load = Array.from({ length: 6 }, async () => {
      while (!stop.signal.aborted) {
        await client.say(testContext(), { value: 'hello' }).catch((error: unknown) => failures.push(error));
        answered += 1;
        if (answered % 7 === 0) await delay(Math.random() * 10);
      }
    });
    for (let round = 0; round < 3; round += 1) {
      for (const [at, server] of servers.entries()) {
        await server.close();
        servers[at] = await serve(server);
        const before = answered;
        await vi.waitUntil(() => answered > before + 50, { timeout: LIMIT_MS });
      }
    }
    stop.abort();
    await Promise.all(load);
    await Promise.all(servers.map((server) => server.close()));
    expect(failures).toEqual([]);
  },
  LIMIT_MS,
);

it.runIf(testTransport === 'connect-fast')(
  'kill -9 of one replica: only its calls in flight fail, immediately',
  { timeout: LIMIT_MS },
  async () => {
    const [first, second] = await Promise.all([startReplica(), startReplica()]);
    const calls = callAll(testPeer('echo', first, second), {
      onCall: (answered) => answered === CALLS / 5 && first.process.kill('SIGKILL'),
    });
    const failures = await calls.failures;
    expect(failures.length).toBeLessThanOrEqual(AT_ONCE);
    for (const failure of failures) expect(failure).toMatchObject({ code: 'UNAVAILABLE' });
  },
);

const NAME = 'echo.test';

/** A peer at the addresses of NAME on a name server, looked up every `everyMs`. */
async function peerByName(replica: Addresses, hosts: () => readonly string[], everyMs: number) {
  const server = await startNameServer(() => ({ addresses: hosts(), ttlSeconds: 30 }));
  const port = Number(new URL(addressFor(replica)).port);
  const name = { kind: 'dns', name: NAME, port, nameServer: server.address } as const;
  const addresses = openDnsAddresses(name, { service: 'echo', log: captureLog().log, everyMs });
  onTestFinished(() => addresses.close());
  return testPeerAt('echo', addresses);
}

it(
  'replicas are replaced at new addresses, which become known late, as the end of old ones does: no call fails',
  { timeout: LIMIT_MS },
  async () => {
    const first = await startReplica();
    const olds = [first, await startReplica(first, '127.0.0.2')];
    let hosts = ['127.0.0.1', '127.0.0.2'];
    let answered = 0;
    let isOver = false;
    const answers = async (more: number): Promise<void> => {
      const enough = answered + more;
      await vi.waitUntil(() => answered >= enough, { timeout: LIMIT_MS });
    };
    const { failures, answeredBy } = callAll(await peerByName(first, () => hosts, 200), {
      calls: FEW_CALLS,
      onCall: (count) => (answered = count),
      isOver: () => isOver,
    });
    const replicasAnswer = (count: number): Promise<boolean> =>
      vi.waitUntil(() => answeredBy.size >= count, { timeout: LIMIT_MS });
    await replicasAnswer(2);
    for (const [index, old] of olds.entries()) {
      const next = `127.0.0.${index + 3}`;
      await startReplica(first, next);
      old.process.kill('SIGTERM');
      await answers(FEW_CALLS / 20);
      hosts = [...hosts, next];
      expect(await old.exited).toEqual([0, null]);
      // The next look-up may come after any number of calls.
      await replicasAnswer(index + 3);
      hosts = hosts.slice(1);
    }
    isOver = true;
    expect(await failures).toEqual([]);
    expect(answeredBy.size).toBe(4);
  },
);

it(
  'the only replica is replaced at a new address, which is known before it stops: no call fails',
  { timeout: LIMIT_MS },
  async () => {
    const old = await startReplica();
    const next = await startReplica(old, '127.0.0.2');
    let hosts = ['127.0.0.1'];
    let isOver = false;
    const peer = await peerByName(old, () => hosts, 50);
    const load = callAll(peer, { calls: FEW_CALLS, onCall: () => undefined, isOver: () => isOver });
    const answeredBy = async ({ process }: Replica) =>
      vi.waitUntil(() => load.answeredBy.has(`hello from ${String(process.pid)}`), { timeout: LIMIT_MS });
    await answeredBy(old);
    hosts = ['127.0.0.2'];
    await answeredBy(next);
    old.process.kill('SIGTERM');
    expect(await old.exited).toEqual([0, null]);
    isOver = true;
    expect(await load.failures).toEqual([]);
  },
);
