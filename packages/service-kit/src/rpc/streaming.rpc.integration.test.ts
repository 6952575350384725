import { once } from 'node:events';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import type { ServiceImpl } from '@connectrpc/connect';
import { EchoService } from '@fairlead/connect-fast/testing/echo-service';
import { ApiError } from '@fairlead/errors/api-error';
import { afterEach, expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { createRequestContext } from '../context/context.ts';
import type { RequestContext } from '../context/context.ts';
import { registry } from '../telemetry/service-metrics.ts';
import { testContext } from '../testing/context.ts';
import { captureLog } from '../testing/log-lines.ts';
import { testPeer } from '../testing/peer.ts';
import { recordSpans } from '../testing/recording-tracer.ts';
import { startEchoServer, testCallerKeys } from '../testing/rpc.ts';
import { createRpcClient } from './client.ts';
import { isUnanswered } from './errors.ts';
import { requestContext } from './request.ts';
import type { RpcServer } from './server.ts';

type Repeat = ServiceImpl<typeof EchoService>['repeat'];
type Addresses = Pick<RpcServer, 'httpUrl' | 'grpcUrl'>;

const opened: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

async function start(repeat: Repeat, graceMs = 0) {
  const logs = captureLog();
  const server = await startEchoServer(() => ({}), { repeat, graceMs, log: logs.log });
  opened.push(() => server.close());
  return { server, client: clientOf(server), rpcLine: () => logs.lines().find(({ msg }) => msg === 'rpc') };
}

function clientOf(...servers: readonly Addresses[]) {
  const peer = testPeer('echo', ...servers);
  opened.push(() => peer.close());
  return createRpcClient(EchoService, { peer, callerKeys: testCallerKeys, clock: systemClock });
}

function contextWith(o: { deadline?: Date; signal?: AbortSignal }): RequestContext {
  const { caller, log, requestId } = testContext();
  const { deadline, signal = new AbortController().signal } = o;
  return createRequestContext({ caller, log, requestId, signal, deadline });
}

/** A method that sends one message and then nothing, and resolves `aborted` when its signal aborts. */
function silentAfterOne() {
  const aborted = Promise.withResolvers<void>();
  const repeat: Repeat = async function* (_, h) {
    requestContext(h).signal.addEventListener('abort', () => aborted.resolve());
    yield { value: 'first' };
    // Ignores its signal, like a method that waits for something else.
    await new Promise(() => {});
  };
  return { repeat, aborted: aborted.promise };
}

async function all<T>(messages: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = [];
  for await (const message of messages) read.push(message);
  return read;
}

const failureOf = async (read: Promise<unknown>): Promise<ApiError> => {
  const error = await read.catch((thrown: unknown) => thrown);
  if (!(error instanceof ApiError)) throw new Error('The call did not fail with an ApiError.');
  return error;
};

it('messages arrive one by one, with the caller, the request id and the deadline of the request', async () => {
  const seen: unknown[] = [];
  const read = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { client, rpcLine } = await start(async function* ({ value }, h) {
    const { caller, requestId } = requestContext(h);
    seen.push(caller, requestId, (h.timeoutMs() ?? 0) > 500_000);
    for (const [i, { promise }] of read.entries()) {
      yield { value: `${value}${i}` };
      // Sends no second message before the first one is read.
      await promise;
    }
  });
  const ctx = testContext();
  const values: string[] = [];
  for await (const { value } of client.repeat(ctx, { value: 'a' }, { timeoutMs: 600_000 })) {
    read[values.push(value) - 1]?.resolve();
  }
  expect(values).toEqual(['a0', 'a1']);
  expect(seen).toEqual([ctx.caller, ctx.requestId, true]);
  await expect.poll(rpcLine).toMatchObject({ code: 'OK', rpc: `${EchoService.typeName}/Repeat` });
});

it.each([0, 1])('an error after %i messages is the error that the caller gets', async (messages) => {
  const { client, rpcLine } = await start(async function* () {
    for (let i = 0; i < messages; i += 1) yield await Promise.resolve({ value: 'x' });
    throw new ApiError('CONFLICT', 'No.', { details: [{ field: 'tool', issue: 'is gone' }] });
  });
  let count = 0;
  const read = (async () => {
    for await (const _ of client.repeat(testContext(), {})) count += 1;
  })();
  const expected = { code: 'CONFLICT', message: 'No.', details: [{ field: 'tool', issue: 'is gone' }] };
  await expect(read).rejects.toMatchObject(expected);
  expect(count).toBe(messages);
  expect(rpcLine()).toMatchObject({ code: 'CONFLICT' });
});

it('a reader who stops cancels the method, which is logged as left even if it ignores that', async () => {
  const { repeat, aborted } = silentAfterOne();
  const { client, rpcLine } = await start(repeat);
  for await (const { value } of client.repeat(testContext(), {})) {
    expect(value).toBe('first');
    break;
  }
  await aborted;
  await expect.poll(rpcLine).toMatchObject({ code: 'Canceled' });
});

it('a reader who stops while a message is awaited cancels the method, and the read ends', async () => {
  const { repeat, aborted } = silentAfterOne();
  const { client } = await start(repeat);
  const it = client.repeat(testContext(), {})[Symbol.asyncIterator]();
  await it.next();
  const awaited = it.next();
  await it.return?.();
  expect(await awaited).toEqual({ done: true, value: undefined });
  await aborted;
});

it('a request that is abandoned cancels the method', async () => {
  const { repeat, aborted } = silentAfterOne();
  const { client } = await start(repeat);
  const abort = new AbortController();
  const read = (async () => {
    for await (const _ of client.repeat(contextWith({ signal: abort.signal }), {})) abort.abort();
  })();
  await expect(read).rejects.toMatchObject({ code: 'TIMEOUT' });
  await aborted;
});

it('the deadline ends the stream, even if the method ignores it', async () => {
  const { repeat } = silentAfterOne();
  const { client, rpcLine } = await start(repeat);
  const read = (async () => {
    for await (const _ of client.repeat(testContext(), {}, { timeoutMs: 300 }));
  })();
  await expect(read).rejects.toMatchObject({ code: 'TIMEOUT' });
  // The client's own timer may end the connection first.
  await expect.poll(() => rpcLine()?.['code']).toMatch(/^(?:TIMEOUT|Canceled)$/);
});

it('a deadline that has passed makes no call', async () => {
  let calls = 0;
  const { client } = await start(async function* () {
    calls += 1;
    yield await Promise.resolve({});
  });
  const read = client.repeat(contextWith({ deadline: new Date(Date.now() - 1) }), {});
  await expect(read[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(calls).toBe(0);
});

it('no listener: the next address serves the stream, or the call is UNAVAILABLE', async () => {
  const { server } = await start(async function* ({ value }) {
    yield await Promise.resolve({ value });
  });
  const closed = net.createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const url = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`;
  closed.close();
  await once(closed, 'close');
  const nobody = { httpUrl: url, grpcUrl: url };
  const [alone, both] = [clientOf(nobody), clientOf(nobody, server)];
  const error = await failureOf(all(alone.repeat(testContext(), {})));
  expect(error.code).toBe('UNAVAILABLE');
  expect(isUnanswered(error)).toBe(false);
  const reads = Array.from({ length: 10 }, (_, i) => all(both.repeat(testContext(), { value: `${i}` })));
  expect((await Promise.all(reads)).flat().map(({ value }) => Number(value))).toEqual([...Array(10).keys()]);
});

it('a server that stops lets a stream end within the grace', async () => {
  const finish = Promise.withResolvers<void>();
  const { server, client } = await start(async function* () {
    yield { value: 'first' };
    await finish.promise;
    yield { value: 'last' };
  }, 60_000);
  const it = client.repeat(testContext(), {})[Symbol.asyncIterator]();
  await it.next();
  const stopped = server.close();
  const isClosed = () =>
    clientOf(server)
      .say(testContext(), {})
      .then(
        () => false,
        () => true,
      );
  await expect.poll(isClosed).toBe(true);
  finish.resolve();
  expect((await it.next()).value).toMatchObject({ value: 'last' });
  expect((await it.next()).done).toBe(true);
  await stopped;
});

it('a stream that outlives the grace of a stopping server is cut: UNAVAILABLE, and its method is cancelled', async () => {
  const { repeat, aborted } = silentAfterOne();
  const { server, client } = await start(repeat, 100);
  const it = client.repeat(testContext(), {})[Symbol.asyncIterator]();
  await it.next();
  const error = failureOf(it.next());
  await server.close();
  expect(await error).toMatchObject({ code: 'UNAVAILABLE' });
  expect(isUnanswered(await error)).toBe(true);
  await aborted;
});

it('both sides count a stream and end its spans when it ends', async () => {
  const finish = Promise.withResolvers<void>();
  const { client } = await start(async function* () {
    yield { value: 'x' };
    await finish.promise;
  });
  const { spans, stop } = recordSpans();
  opened.push(stop);
  const count = (side: string) => {
    const track = side === 'client' ? ',track="stable"' : '';
    const labels = `service="${EchoService.typeName}",method="Repeat",code="OK"${track}`;
    const text = registry.render().split(`rpc_${side}_duration_seconds_count{${labels}} `)[1];
    return Number.parseInt(text ?? '0', 10);
  };
  const before = ['client', 'server'].map(count);
  const it = client.repeat(testContext(), {})[Symbol.asyncIterator]();
  await it.next();
  expect(spans.map(({ kind, hasEnded }) => [kind, hasEnded])).toEqual([
    ['client', false],
    ['server', false],
  ]);
  finish.resolve();
  expect((await it.next()).done).toBe(true);
  await expect.poll(() => spans.map(({ hasEnded }) => hasEnded)).toEqual([true, true]);
  await expect.poll(() => ['client', 'server'].map(count)).toEqual(before.map((value) => value + 1));
  expect(spans[1]?.parentId).toBe(spans[0]?.spanId);
});
