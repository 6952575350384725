import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { EchoService } from '@fairlead/connect-fast/testing/echo-service';
import { afterEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../clock.ts';
import { createRpcClient } from './client.ts';
import type { RpcPeer } from './peer.ts';
import type { RpcServer } from './server.ts';
import { testContext } from '../testing/context.ts';
import { testPeer, testTransport } from '../testing/peer.ts';
import { startEchoServer, testCallerKeys } from '../testing/rpc.ts';

type Addresses = Pick<RpcServer, 'httpUrl' | 'grpcUrl'>;

interface Replica extends Addresses {
  readonly process: ChildProcess;
  readonly exited: Promise<unknown[]>;
}

// Seconds on a free machine; the calls of a whole suite may run beside it.
const LIMIT_MS = 180_000;
const CALLS = 2_000;
const AT_ONCE = 32;
const PROGRAM = fileURLToPath(new URL('../testing/echo-replica.ts', import.meta.url));

const processes: ChildProcess[] = [];
const peers: RpcPeer[] = [];

afterEach(async () => {
  await Promise.all(peers.splice(0).map((peer) => peer.close()));
  for (const process of processes.splice(0)) process.kill('SIGKILL');
});

async function startReplica(at?: Addresses): Promise<Replica> {
  const env = at === undefined ? {} : { PORT: new URL(at.httpUrl).port, GRPC_PORT: new URL(at.grpcUrl).port };
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

/** Makes calls without a pause, as many as CALLS and until `isOver`; `onCall` is told how many were answered. */
async function callAll(
  replicas: readonly Addresses[],
  onCall: (answered: number) => void,
  isOver: () => boolean = () => true,
): Promise<{
  readonly failures: unknown[];
  readonly answeredBy: ReadonlyMap<string, number>;
}> {
  const peer = testPeer('echo', ...replicas);
  peers.push(peer);
  const client = createRpcClient(EchoService, { peer, callerKeys: testCallerKeys, clock: systemClock });
  const failures: unknown[] = [];
  const answeredBy = new Map<string, number>();
  let started = 0;
  let answered = 0;
  const worker = async (): Promise<void> => {
    while (started < CALLS || !isOver()) {
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
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { failures, answeredBy };
}

it(
  'SIGTERM of one replica while calls run: none of 2 000 fails, and it exits in order',
  { timeout: LIMIT_MS },
  async () => {
    const [first, second] = await Promise.all([startReplica(), startReplica()]);
    const { failures, answeredBy } = await callAll([first, second], (answered) => {
      if (answered === CALLS / 5) first.process.kill('SIGTERM');
    });
    expect(failures).toEqual([]);
    expect(await first.exited).toEqual([0, null]);
    const byFirst = answeredBy.get(`hello from ${String(first.process.pid)}`) ?? 0;
    expect(byFirst).toBeGreaterThan(CALLS / 20);
    expect(byFirst).toBeLessThan(CALLS / 2);
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
    const { failures, answeredBy } = await callAll(olds, onCall, () => isRestarted);
    expect(failures).toEqual([]);
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
    // So few that all of them are often between two calls.
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
    const { failures } = await callAll([first, second], (answered) => {
      if (answered === CALLS / 5) first.process.kill('SIGKILL');
    });
    expect(failures.length).toBeLessThanOrEqual(AT_ONCE);
    for (const failure of failures) expect(failure).toMatchObject({ code: 'UNAVAILABLE' });
  },
);
