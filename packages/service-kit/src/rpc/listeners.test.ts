import { once } from 'node:events';
import http2 from 'node:http2';
import net from 'node:net';
import { ConnectError, createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node';
import { EchoService } from '@fairlead/connect-fast/testing/echo-service';
import {
  HealthCheckResponse_ServingStatus as Status,
  Health,
} from '@fairlead/contracts/grpc/health/v1/health_pb';
import { describe, expect, it } from 'vitest';
import { createHttp2Listener } from './listeners.ts';
import type { RpcServer } from './server.ts';
import { captureLog } from '../testing/log-lines.ts';
import { signedCaller, startEchoServer } from '../testing/rpc.ts';

describe('a graceful stop', () => {
  it.each([
    ['HTTP/1.1', (s: RpcServer) => createConnectTransport({ baseUrl: s.httpUrl, httpVersion: '1.1' })],
    ['gRPC', (s: RpcServer) => createGrpcTransport({ baseUrl: s.grpcUrl })],
  ] as const)('%s: requests in flight end, then nobody is let in', async (_, transport) => {
    const entered = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const server = await startEchoServer(async ({ value }) => {
      entered.resolve();
      await release.promise;
      return { value };
    });
    const echo = createClient(EchoService, transport(server));
    const inFlight = echo.say({ value: 'kept' }, { headers: signedCaller() });
    await entered.promise;
    let isClosed = false;
    const closing = server.close().then(() => (isClosed = true));
    expect(isClosed).toBe(false);
    release.resolve();
    expect((await inFlight).value).toBe('kept');
    await closing;
    await expect(echo.say({}, { headers: signedCaller() })).rejects.toBeInstanceOf(ConnectError);
  });

  it('a request that outlasts the grace is cut off', async () => {
    const entered = Promise.withResolvers<void>();
    const server = await startEchoServer(
      () => {
        entered.resolve();
        return new Promise(() => {});
      },
      { graceMs: 20 },
    );
    const echo = createClient(
      EchoService,
      createConnectTransport({ baseUrl: server.httpUrl, httpVersion: '1.1' }),
    );
    const cut = echo.say({}, { headers: signedCaller() }).catch((error: unknown) => error);
    await entered.promise;
    await server.close();
    expect(await cut).toBeInstanceOf(ConnectError);
  });

  it('connections without a request do not delay it', async () => {
    const { log, lines } = captureLog();
    const server = await startEchoServer(() => ({}), { graceMs: 60_000, log });
    const sockets = await Promise.all(
      [server.httpUrl, server.grpcUrl].map(async (url) => {
        const socket = net.connect(Number(new URL(url).port), '127.0.0.1');
        await once(socket, 'connect');
        return socket;
      }),
    );
    await server.close();
    expect(lines().at(-1)).toMatchObject({ msg: 'stopped serving' });
    for (const socket of sockets) socket.destroy();
  });

  it('a connection that has just broken off does not keep it from ending', async () => {
    const drained = Promise.withResolvers<boolean>();
    const listener = createHttp2Listener((request) => {
      if ('stream' in request) request.stream.session?.destroy();
      drained.resolve(listener.drain(1_000));
    });
    const client = http2.connect(await listener.listen('127.0.0.1', 0));
    const cutOff = once(client, 'close');
    const request = client.request();
    request.on('error', () => undefined);
    request.end();
    expect(await drained.promise).toBe(true);
    await cutOff;
  });

  it('health watchers are notified and do not delay it', async () => {
    const server = await startEchoServer(() => ({}));
    const health = createClient(Health, createGrpcTransport({ baseUrl: server.grpcUrl }));
    const seen: Status[] = [];
    for await (const { status } of health.watch({})) {
      seen.push(status);
      if (status === Status.SERVING) void server.close();
    }
    expect(seen).toEqual([Status.SERVING, Status.NOT_SERVING]);
  });
});
