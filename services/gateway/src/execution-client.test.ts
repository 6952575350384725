import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { ExecutionService } from '@fairlead/contracts/tools/v1/execution_service_pb';
import { ApiError } from '@fairlead/errors/api-error';
import { systemClock } from '@fairlead/service-kit/clock';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testPeer } from '@fairlead/service-kit/testing/peer';
import { afterEach, describe, expect, it } from 'vitest';
import { createExecutionClient } from './execution-client.ts';
import { startRemote } from './testing/remote.ts';
import { TEST_CALLER_KEYS } from './testing/edge.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

type Client = ReturnType<typeof createExecutionClient>;

/** A client of a tools service that breaks every connection once a request has arrived. */
async function clientOfBreaking(): Promise<{ readonly client: Client; readonly received: () => number }> {
  let received = 0;
  const server = http.createServer((request) => {
    received += 1;
    request.socket.destroy();
  });
  const client = clientAt(await listen(server));
  closers.push(() => server.close());
  return { client, received: () => received };
}

async function listen(server: http.Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function clientAt(url: string): Client {
  const peer = testPeer('tools', { httpUrl: url, grpcUrl: url });
  closers.push(() => peer.close());
  const o = { peer, callerKeys: TEST_CALLER_KEYS, clock: systemClock };
  return createExecutionClient(createRpcClient(ExecutionService, o));
}

const CALLS: readonly [string, (client: Client, dryRun: boolean) => Promise<unknown>][] = [
  ['executeTool', (client, dryRun) => client.executeTool(testContext(), { toolSlug: 'a', dryRun })],
  ['sendRequest', (client, dryRun) => client.sendRequest(testContext(), { connectionId: 1, dryRun })],
];

describe.each(CALLS)('%s', (_name, call) => {
  it('sent, and without an answer, is TIMEOUT: it may have taken effect; it is sent once', async () => {
    const { client, received } = await clientOfBreaking();
    await expect(call(client, false)).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: expect.stringContaining('unknown whether the call took effect') as string,
    });
    expect(received()).toBe(1);
  });

  it('that could not be sent is UNAVAILABLE: nothing was executed', async () => {
    const server = http.createServer();
    const url = await listen(server);
    server.close();
    await once(server, 'close');
    await expect(call(clientAt(url), false)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('as a dry run, which has no effect, is UNAVAILABLE in any case', async () => {
    const { client } = await clientOfBreaking();
    await expect(call(client, true)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});

it('a read without an answer is UNAVAILABLE', async () => {
  const { client } = await clientOfBreaking();
  await expect(client.getExecution(testContext(), { historyId: 1n })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  });
});

it('the gateway’s services answer so, and an error of the tools service stays what it is', async () => {
  const remote = await startRemote((router) => {
    router.service(ExecutionService, {
      executeTool: () => Promise.reject(new ApiError('UNAVAILABLE', 'Nothing was executed.')),
    });
  });
  closers.push(() => remote.close());
  const call = remote.services.executions.executeTool(testContext(), { toolSlug: 'a' });
  await expect(call).rejects.toMatchObject({ code: 'UNAVAILABLE', message: 'Nothing was executed.' });
});
