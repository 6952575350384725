import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { openDnsAddresses } from '@fairlead/service-kit/discovery/dns-addresses';
import { startNameServer } from '@fairlead/service-kit/testing/name-server';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import type { TestHttpService } from '@fairlead/service-kit/testing/http';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { startProxy, startProxyAt } from './testing/proxied-service.ts';

const PROGRAM = fileURLToPath(new URL('testing/replica.ts', import.meta.url));
const AT_ONCE = 16;
/** Number of calls answered before and after the disruption. */
const CALLS = 300;
const RECOVERY = { timeout: 90_000 };
const PADDING = ' '.repeat(20_000);

interface Replica {
  readonly process: ChildProcess;
  readonly httpUrl: string;
  /** The bodies that it has read. */
  readonly bodies: readonly string[];
}

const report = z.object({ httpUrl: z.string().optional(), body: z.string().optional() });
const answer = z.object({ body: z.string(), pid: z.number() });

async function startReplica(port = '0', host = '127.0.0.1'): Promise<Replica> {
  const child = fork(PROGRAM, { execArgv: [], env: { ...process.env, PORT: port, HOST: host } });
  onTestFinished(() => void child.kill('SIGKILL'));
  const bodies: string[] = [];
  const url = Promise.withResolvers<string>();
  child.on('message', (message) => {
    const { httpUrl, body } = report.parse(message);
    if (httpUrl !== undefined) url.resolve(httpUrl);
    if (body !== undefined) bodies.push(body);
  });
  return { process: child, httpUrl: await url.promise, bodies };
}

/** A replica at another one's address, which is stopped like in a rolling update. */
async function restart(old: Replica): Promise<Replica> {
  const exited = once(old.process, 'exit');
  old.process.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  return startReplica(new URL(old.httpUrl).port);
}

/** Sends a body of unknown length in two pieces, once; resolves to the process that responded. */
async function post(proxy: TestHttpService, body: string): Promise<number> {
  const pieces = [body, PADDING].map((piece) => Buffer.from(piece));
  const response = await fetch(`${proxy.url}/oauth/token`, {
    method: 'POST',
    body: Readable.toWeb(Readable.from(pieces)),
    duplex: 'half',
  });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  const { body: read, pid } = answer.parse(await response.json());
  expect(read).toBe(body);
  return pid;
}

/** Sends POSTs without a pause before, during and after `act`; none is repeated. */
async function loadWhile(proxy: TestHttpService, act: () => Promise<void>) {
  const failures: unknown[] = [];
  const pids = new Set<number>();
  const begun = Promise.withResolvers<void>();
  let calls = 0;
  let last = Infinity;
  const worker = async (): Promise<void> => {
    while (calls < last) {
      calls += 1;
      await post(proxy, `call ${calls}`).then(
        (pid) => pids.add(pid),
        (error: unknown) => failures.push(error),
      );
      if (calls >= CALLS) begun.resolve();
    }
  };
  const workers = Promise.all(Array.from({ length: AT_ONCE }, worker));
  await begun.promise;
  await act();
  last = calls + CALLS;
  await workers;
  return { failures, pids, calls };
}

test('one replica after the other is restarted at its address: no POST fails, and none is repeated', async () => {
  const replicas = await Promise.all([startReplica(), startReplica()]);
  const proxy = await startProxy(replicas);
  const all = [...replicas];
  const { failures, pids } = await loadWhile(proxy, async () => {
    for (const replica of replicas) all.push(await restart(replica));
    // An address that refused connections is avoided for a while.
    await expect.poll(() => all.every(({ bodies }) => bodies.length > 0), RECOVERY).toBe(true);
  });
  expect(failures).toEqual([]);
  expect(pids).toEqual(new Set(all.map(({ process }) => process.pid)));
  const bodies = all.flatMap((replica) => replica.bodies);
  expect(new Set(bodies).size).toBe(bodies.length);
});

test('replicas are replaced at new addresses, which are known before the old ones stop: no POST fails, and none is repeated', async () => {
  const first = await startReplica();
  const { port } = new URL(first.httpUrl);
  const olds = [first, await startReplica(port, '127.0.0.2')];
  const news = [await startReplica(port, '127.0.0.3'), await startReplica(port, '127.0.0.4')];
  let hosts = ['127.0.0.1', '127.0.0.2'];
  const server = await startNameServer(() => ({ addresses: hosts, ttlSeconds: 30 }));
  const addresses = openDnsAddresses(
    { kind: 'dns', name: 'echo.test', port: Number(port), nameServer: server.address },
    { service: 'echo', log: captureLog().log, everyMs: 50 },
  );
  onTestFinished(() => addresses.close());
  const { failures, pids } = await loadWhile(await startProxyAt(addresses), async () => {
    hosts = ['127.0.0.3', '127.0.0.4'];
    await expect.poll(() => news.every(({ bodies }) => bodies.length > 0), RECOVERY).toBe(true);
    for (const { process } of olds) {
      const exited = once(process, 'exit');
      process.kill('SIGTERM');
      expect(await exited).toEqual([0, null]);
    }
  });
  expect(failures).toEqual([]);
  const all = [...olds, ...news];
  expect(pids).toEqual(new Set(all.map(({ process }) => process.pid)));
  const bodies = all.flatMap((replica) => replica.bodies);
  expect(new Set(bodies).size).toBe(bodies.length);
});

test('kill -9 of one replica: only POSTs in flight fail, with 503, and none is repeated', async () => {
  const [first, second] = [await startReplica(), await startReplica()];
  const proxy = await startProxy([first, second]);
  const { failures, pids, calls } = await loadWhile(proxy, async () => {
    const exited = once(first.process, 'exit');
    first.process.kill('SIGKILL');
    await exited;
  });
  expect(failures.length).toBeLessThanOrEqual(AT_ONCE);
  for (const failure of failures) expect(String(failure)).toContain('503: {"errorCode":"UNAVAILABLE"');
  expect(pids.size).toBe(2);
  const bodies = [...first.bodies, ...second.bodies];
  expect(new Set(bodies).size).toBe(bodies.length);
  expect(calls).toBeGreaterThanOrEqual(2 * CALLS);
});
