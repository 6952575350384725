import { fork } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { EchoService } from '@fairlead/connect-fast/testing/echo-service';
import {
  Health,
  HealthCheckResponse_ServingStatus as Status,
} from '@fairlead/contracts/grpc/health/v1/health_pb';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../clock.ts';
import { createRpcClient } from '../rpc/client.ts';
import { testContext } from '../testing/context.ts';
import { testPeer } from '../testing/peer.ts';
import { testCallerKeys } from '../testing/rpc.ts';

const PROGRAM = fileURLToPath(new URL('../testing/defective-replica.ts', import.meta.url));

async function start() {
  const child = fork(PROGRAM, { execArgv: [], stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const [message] = (await once(child, 'message')) as unknown[];
  const addresses = z.object({ httpUrl: z.string(), grpcUrl: z.string() }).parse(message);
  const peer = testPeer('echo', addresses);
  onTestFinished(() => peer.close());
  const client = createRpcClient(EchoService, { peer, callerKeys: testCallerKeys, clock: systemClock });
  if (child.stdout === null) throw new Error('The replica has no output.');
  return { child, exited, log: text(child.stdout), ...addresses, client };
}

it.each([
  ['throw', 'uncaughtException'],
  ['reject', 'unhandledRejection'],
])(
  '%s in a listener: calls in flight end, readiness goes down, the process exits 1',
  async (defect, origin) => {
    const { child, exited, log, grpcUrl, client } = await start();
    const health = createClient(Health, createGrpcTransport({ baseUrl: grpcUrl }));
    const statuses: Status[] = [];
    const isWatching = Promise.withResolvers<void>();
    const watch = (async () => {
      for await (const { status } of health.watch({})) {
        statuses.push(status);
        isWatching.resolve();
      }
    })();
    await isWatching.promise;

    const entered = once(child, 'message');
    const held = client.say(testContext(), { value: 'held' });
    await entered;
    expect((await client.say(testContext(), { value: defect })).value).toBe(defect);

    // Only the call in flight keeps the process alive.
    await watch;
    expect(statuses).toEqual([Status.SERVING, Status.NOT_SERVING]);
    child.send('go on');
    expect((await held).value).toBe('held');
    expect(await exited).toEqual([1, null]);
    const fatal = (await log)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ level }) => level === 'fatal');
    expect(fatal).toMatchObject([
      { service: 'echo', origin, err: { type: 'TypeError', message: `${defect} in a listener` } },
    ]);
  },
);
