import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { EchoService } from '@fairlead/connect-fast/testing/echo-service';
import { ApiError } from '@fairlead/errors/api-error';
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { ManualClock, systemClock } from '../clock.ts';
import { createRequestContext } from '../context/context.ts';
import type { RequestContext } from '../context/context.ts';
import { createRpcClient } from './client.ts';
import { isUnanswered } from './errors.ts';
import { requestContext } from './request.ts';
import type { RpcPeer } from './peer.ts';
import type { RpcServer } from './server.ts';
import { testContext } from '../testing/context.ts';
import { testPeer } from '../testing/peer.ts';
import { startEchoServer, testCallerKeys } from '../testing/rpc.ts';

const servers: RpcServer[] = [];
const peers: RpcPeer[] = [];

async function start(say: Parameters<typeof startEchoServer>[0]): Promise<RpcServer> {
  const server = await startEchoServer(say, { graceMs: 0 });
  servers.push(server);
  return server;
}

afterEach(async () => {
  await Promise.all(peers.splice(0).map((peer) => peer.close()));
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

function peerOf(server: Pick<RpcServer, 'httpUrl' | 'grpcUrl'>): RpcPeer {
  const peer = testPeer('echo', server);
  peers.push(peer);
  return peer;
}

function clientOf(server: Pick<RpcServer, 'httpUrl' | 'grpcUrl'>, defaultTimeoutMs?: number) {
  return createRpcClient(EchoService, {
    peer: peerOf(server),
    callerKeys: testCallerKeys,
    clock: systemClock,
    ...(defaultTimeoutMs === undefined ? {} : { defaultTimeoutMs }),
  });
}

function contextUntil(deadline: Date, signal = new AbortController().signal): RequestContext {
  const { caller, log, requestId } = testContext();
  return createRequestContext({ caller, log, requestId, signal, deadline });
}

it('caller and request id arrive as they were sent', async () => {
  const seen: unknown[] = [];
  const server = await start((_, h) => {
    const { caller, requestId } = requestContext(h);
    seen.push(caller, requestId);
    return {};
  });
  const user = testContext();
  const service = testContext({ caller: { kind: 'service', service: 'gateway' } });
  const client = clientOf(server);
  await client.say(user, {});
  await client.say(service, {});
  expect(seen).toEqual([user.caller, user.requestId, service.caller, service.requestId]);
});

it('the error that the service raised is the error that the caller gets', async () => {
  const server = await start(() => {
    throw new ApiError('AMBIGUOUS_TOOL', 'Which one?', {
      candidates: ['a', 'b'],
      details: [{ field: 'tool', issue: 'is ambiguous' }],
    });
  });
  await expect(clientOf(server).say(testContext(), {})).rejects.toMatchObject({
    name: 'ApiError',
    code: 'AMBIGUOUS_TOOL',
    message: 'Which one?',
    candidates: ['a', 'b'],
    details: [{ field: 'tool', issue: 'is ambiguous' }],
  });
});

it('a caller context that was signed too long ago is refused', async () => {
  const server = await start(() => ({}));
  const client = createRpcClient(EchoService, {
    peer: peerOf(server),
    callerKeys: testCallerKeys,
    clock: new ManualClock(new Date(Date.now() - 120_000)),
  });
  await expect(client.say(testContext(), {})).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});

it('no deadline: the default timeout is sent and ends the call with TIMEOUT', async () => {
  let leftMs = 0;
  const server = await start((_, h) => {
    leftMs = h.timeoutMs() ?? 0;
    return new Promise(() => {});
  });
  await expect(clientOf(server, 100).say(testContext(), {})).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(leftMs).toBeLessThanOrEqual(100);
});

it('if the context’s deadline is before the timeout, it applies', async () => {
  const server = await start(() => new Promise(() => {}));
  const ctx = contextUntil(new Date(Date.now() + 80));
  // Longer than the test may take.
  await expect(clientOf(server).say(ctx, {}, { timeoutMs: 600_000 })).rejects.toMatchObject({
    code: 'TIMEOUT',
  });
});

it('a deadline that has passed makes no call', async () => {
  let calls = 0;
  const server = await start(() => {
    calls += 1;
    return {};
  });
  const ctx = contextUntil(new Date(Date.now() - 1));
  await expect(clientOf(server).say(ctx, {})).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(calls).toBe(0);
});

it('a caller who gives up cancels the method on the other side', async () => {
  const entered = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  const server = await start((_, h) => {
    requestContext(h).signal.addEventListener('abort', () => cancelled.resolve());
    entered.resolve();
    return new Promise(() => {});
  });
  const abort = new AbortController();
  const call = clientOf(server).say(contextUntil(new Date(Date.now() + 20_000), abort.signal), {});
  void entered.promise.then(() => abort.abort());
  await expect(call).rejects.toMatchObject({ code: 'TIMEOUT' });
  await cancelled.promise;
});

it('no listener: UNAVAILABLE', async () => {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.close();
  await once(server, 'close');
  const error = await failureOf(clientOf({ httpUrl: url, grpcUrl: url }).say(testContext(), {}));
  expect(error.code).toBe('UNAVAILABLE');
  expect(isUnanswered(error)).toBe(false);
});

it('the peer is killed in the middle of a call: UNAVAILABLE at once', async () => {
  const peer = fork(new URL('../testing/echo-process.ts', import.meta.url).pathname, { execArgv: [] });
  const server = await nextMessage(peer, z.object({ httpUrl: z.string(), grpcUrl: z.string() }));
  let isEntered = false;
  void nextMessage(peer, z.object({ entered: z.literal(true) })).then(() => {
    isEntered = true;
    return peer.kill('SIGKILL');
  });
  // A call that waited until its deadline would be TIMEOUT.
  const error = await failureOf(clientOf(server).say(testContext(), {}));
  expect(error.code).toBe('UNAVAILABLE');
  expect(isEntered).toBe(true);
  expect(isUnanswered(error)).toBe(true);
});

it('what a service answers is no call without an answer, even if it is UNAVAILABLE', async () => {
  const server = await start(() => Promise.reject(new ApiError('UNAVAILABLE', 'Nothing was executed.')));
  const error = await failureOf(clientOf(server).say(testContext(), {}));
  expect(error).toMatchObject({ code: 'UNAVAILABLE', message: 'Nothing was executed.' });
  expect(isUnanswered(error)).toBe(false);
});

async function failureOf(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.catch((thrown: unknown) => thrown);
  if (!(error instanceof ApiError)) throw new Error('The call did not fail with an ApiError.');
  return error;
}

function nextMessage<S extends z.ZodType>(peer: ChildProcess, schema: S): Promise<z.infer<S>> {
  return new Promise((resolve) => {
    peer.once('message', (message) => resolve(schema.parse(message)));
  });
}
