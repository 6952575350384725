import { request } from 'node:http';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { StringValueSchema } from '@bufbuild/protobuf/wkt';
import { Code, createClient } from '@connectrpc/connect';
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node';
import { EchoService } from '@fairlead/connect-fast/testing/echo-service';
import {
  HealthCheckResponse_ServingStatus as Status,
  Health,
} from '@fairlead/contracts/grpc/health/v1/health_pb';
import { ApiError } from '@fairlead/errors/api-error';
import { afterEach, describe, expect, it } from 'vitest';
import type { Caller } from '../context/caller.ts';
import { CALLER_HEADER, signCaller } from '../context/caller-token.ts';
import type { CallerTokenScope } from '../context/caller-token.ts';
import { REQUEST_ID_HEADER } from '../context/context.ts';
import { parseKeyRing } from '../key-ring.ts';
import { requestContext } from './request.ts';
import { createRpcPeer } from './peer.ts';
import type { RpcServer } from './server.ts';
import { captureLog } from '../testing/log-lines.ts';
import { signedCaller, startEchoServer, testCaller, testCallerKeys } from '../testing/rpc.ts';

const servers: RpcServer[] = [];

async function start(...args: Parameters<typeof startEchoServer>): Promise<RpcServer> {
  const server = await startEchoServer(...args);
  servers.push(server);
  return server;
}

afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

describe('with every protocol', () => {
  const transports = {
    'our own transport': (s: RpcServer) =>
      createRpcPeer({ service: 'echo', addresses: [s.httpUrl], transport: 'connect-fast' }).transport,
    'our own transport for gRPC': (s: RpcServer) =>
      createRpcPeer({ service: 'echo', addresses: [s.grpcUrl], transport: 'grpc' }).transport,
    'Connect over HTTP/1.1': (s: RpcServer) =>
      createConnectTransport({ baseUrl: s.httpUrl, httpVersion: '1.1' }),
    'Connect JSON over HTTP/1.1': (s: RpcServer) =>
      createConnectTransport({ baseUrl: s.httpUrl, httpVersion: '1.1', useBinaryFormat: false }),
    'gRPC-Web over HTTP/1.1': (s: RpcServer) =>
      createGrpcWebTransport({ baseUrl: s.httpUrl, httpVersion: '1.1' }),
    'Connect over h2c': (s: RpcServer) => createConnectTransport({ baseUrl: s.grpcUrl, httpVersion: '2' }),
    'gRPC-Web over h2c': (s: RpcServer) => createGrpcWebTransport({ baseUrl: s.grpcUrl, httpVersion: '2' }),
    'gRPC over h2c': (s: RpcServer) => createGrpcTransport({ baseUrl: s.grpcUrl }),
  };

  it.each(Object.entries(transports))('%s: calls, refusals and health', async (_, transport) => {
    const server = await start(({ value }) => ({ value }));
    const echo = createClient(EchoService, transport(server));
    expect((await echo.say({ value: 'hi' }, { headers: signedCaller() })).value).toBe('hi');
    await expect(echo.say({ value: 'hi' })).rejects.toMatchObject({ code: Code.Unauthenticated });
    const health = createClient(Health, transport(server));
    expect((await health.check({})).status).toBe(Status.SERVING);
  });
});

describe('a message with a member that this release does not know', () => {
  const newer = Buffer.concat([
    toBinary(StringValueSchema, create(StringValueSchema, { value: 'hi' })),
    // Field 15, a varint.
    Buffer.from([0x78, 0x01]),
  ]);

  it('is accepted without it, in binary', async () => {
    const server = await start(({ value }) => ({ value }));
    const response = await fetch(`${server.httpUrl}/${EchoService.typeName}/Say`, {
      method: 'POST',
      headers: { 'content-type': 'application/proto', ...signedCaller() },
      body: newer,
    });
    expect(response.status).toBe(200);
    const answer = fromBinary(StringValueSchema, new Uint8Array(await response.arrayBuffer()));
    expect(answer.value).toBe('hi');
  });

  it('is accepted without it, in JSON', async () => {
    const server = await start(() => ({}));
    const response = await fetch(`${server.httpUrl}/${Health.typeName}/Check`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"service":"","later":{"a":1}}',
    });
    expect(await response.json()).toMatchObject({ status: 'SERVING' });
  });
});

describe('the caller context', () => {
  const otherKeys = parseKeyRing(`v1:${Buffer.alloc(32, 9).toString('base64')}`);
  const signed = (caller: Caller, o: Partial<CallerTokenScope> = {}): Record<string, string> => ({
    [CALLER_HEADER]: signCaller(caller, { audience: 'echo', keys: testCallerKeys, ...o }, new Date()),
  });

  it.each([
    ['signed with another key', signed(testCaller, { keys: otherKeys })],
    ['signed for another service', signed(testCaller, { audience: 'tools' })],
    [
      'of a session of an end user',
      signed({ kind: 'endUserSession', accountId: 'acc_1', endUserId: 'eu_1', sessionId: 'ses_1' }),
    ],
    ['expired', signedCaller(new Date(Date.now() - 61_000))],
    ['missing', {}],
  ])('%s: UNAUTHORIZED, and the method does not run', async (_, headers) => {
    let runs = 0;
    const server = await start(() => {
      runs += 1;
      return {};
    });
    const echo = createClient(
      EchoService,
      createConnectTransport({ baseUrl: server.httpUrl, httpVersion: '1.1' }),
    );
    await expect(echo.say({}, { headers })).rejects.toMatchObject({ code: Code.Unauthenticated });
    expect(runs).toBe(0);
  });

  it.each<[string, Caller, 'openToConfined' | 'openToAnonymous']>([
    [
      'of a key that is confined to a toolset',
      { ...testCaller, confinement: { toolsetId: 'toolset-1', keyId: 'key_1' } },
      'openToConfined',
    ],
    [
      'of a client without a credential',
      { kind: 'anonymousClient', accountId: 'acc_1', serverId: 'server-1' },
      'openToAnonymous',
    ],
  ])('%s: FORBIDDEN, unless the server opens the method to such callers', async (_, caller, opens) => {
    const seen: unknown[] = [];
    const say: Parameters<typeof startEchoServer>[0] = (_, h) => {
      seen.push(requestContext(h).caller);
      return {};
    };
    const call = (server: RpcServer) =>
      createClient(EchoService, createConnectTransport({ baseUrl: server.httpUrl, httpVersion: '1.1' })).say(
        {},
        { headers: signed(caller) },
      );
    await expect(call(await start(say))).rejects.toMatchObject({ code: Code.PermissionDenied });
    expect(seen).toEqual([]);
    const other = opens === 'openToConfined' ? 'openToAnonymous' : 'openToConfined';
    const method = EchoService.method.say;
    await expect(call(await start(say, { [other]: [method] }))).rejects.toMatchObject({
      code: Code.PermissionDenied,
    });
    await call(await start(say, { [opens]: [method] }));
    expect(seen).toEqual([caller]);
  });

  it('reaches the method with request id and deadline', async () => {
    const seen: unknown[] = [];
    const server = await start((_, h) => {
      const ctx = requestContext(h);
      seen.push(ctx.caller, ctx.requestId, (ctx.deadline?.getTime() ?? 0) - Date.now());
      return {};
    });
    const echo = createClient(
      EchoService,
      createConnectTransport({ baseUrl: server.httpUrl, httpVersion: '1.1' }),
    );
    let answered: Headers | undefined;
    await echo.say(
      {},
      {
        headers: { ...signedCaller(), [REQUEST_ID_HEADER]: 'req.1' },
        timeoutMs: 9_000,
        onHeader: (headers) => void (answered = headers),
      },
    );
    expect(seen).toEqual([testCaller, 'req.1', expect.closeTo(9_000, -3)]);
    expect(answered?.get(REQUEST_ID_HEADER)).toBe('req.1');
  });
});

describe('responses and log lines', () => {
  it('one line per RPC: rpc, code, duration, request id', async () => {
    const { log, lines } = captureLog('info');
    const server = await start(
      ({ value }) => {
        if (value === 'fail') throw new ApiError('NOT_FOUND', 'Gone.');
        return {};
      },
      { log },
    );
    const echo = createClient(
      EchoService,
      createConnectTransport({ baseUrl: server.httpUrl, httpVersion: '1.1' }),
    );
    const headers = { ...signedCaller(), [REQUEST_ID_HEADER]: 'req-1' };
    await echo.say({}, { headers });
    await expect(echo.say({ value: 'fail' }, { headers })).rejects.toThrow('Gone.');
    await expect(echo.say({}, { headers: { [REQUEST_ID_HEADER]: 'req-1' } })).rejects.toThrow(
      'caller context',
    );
    const rpc = {
      msg: 'rpc',
      rpc: 'fairlead.testing.v1.EchoService/Say',
      requestId: 'req-1',
    };
    expect(lines().filter(({ msg }) => msg === 'rpc')).toMatchObject([
      { ...rpc, code: 'OK' },
      { ...rpc, code: 'NOT_FOUND' },
      { ...rpc, code: 'UNAUTHORIZED' },
    ]);
    for (const line of lines().filter(({ msg }) => msg === 'rpc'))
      expect(line['durationMs']).toBeTypeOf('number');
  });

  it('an unexpected error returns a fixed text; its cause is only in the log', async () => {
    const { log, lines } = captureLog();
    const server = await start(
      () => {
        throw new Error('disk /dev/sda1 is full');
      },
      { log },
    );
    const echo = createClient(
      EchoService,
      createConnectTransport({ baseUrl: server.httpUrl, httpVersion: '1.1' }),
    );
    const error: unknown = await echo.say({}, { headers: signedCaller() }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: Code.Internal });
    expect(String(error)).not.toContain('disk');
    expect(lines().find(({ msg }) => msg === 'rpc')).toMatchObject({
      level: 'error',
      code: 'INTERNAL',
      err: { message: 'disk /dev/sda1 is full' },
    });
  });

  it('a method that ignores the deadline gets a response when it has passed', async () => {
    const { log, lines } = captureLog();
    const server = await start(() => new Promise(() => {}), { log, graceMs: 0 });
    const echo = createClient(
      EchoService,
      createConnectTransport({ baseUrl: server.httpUrl, httpVersion: '1.1' }),
    );
    await expect(echo.say({}, { headers: signedCaller(), timeoutMs: 50 })).rejects.toMatchObject({
      code: Code.DeadlineExceeded,
    });
    await expect
      .poll(() => lines().find(({ msg }) => msg === 'rpc'))
      .toMatchObject({ level: 'warn', code: 'TIMEOUT' });
  });

  it('a message above 5 MiB passes, one above 16 MiB does not', async () => {
    const server = await start(({ value }) => ({ value: String(value.length) }));
    const echo = createClient(
      EchoService,
      createConnectTransport({ baseUrl: server.httpUrl, httpVersion: '1.1' }),
    );
    const send = (mebibytes: number) =>
      echo.say({ value: 'x'.repeat(mebibytes * 1024 * 1024) }, { headers: signedCaller() });
    expect((await send(6)).value).toBe(String(6 * 1024 * 1024));
    await expect(send(17)).rejects.toMatchObject({ code: Code.ResourceExhausted });
  });

  it('a Host header that does not form a URL is refused and the server survives', async () => {
    const server = await start(() => ({}));
    const status = await new Promise((resolve, reject) => {
      request(
        `${server.httpUrl}/grpc.health.v1.Health/Check`,
        { method: 'POST', headers: { host: '[' } },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      )
        .on('error', reject)
        .end();
    });
    expect(status).toBe(400);
    const health = createClient(
      Health,
      createConnectTransport({ baseUrl: server.httpUrl, httpVersion: '1.1' }),
    );
    expect((await health.check({})).status).toBe(Status.SERVING);
  });

  it('a port that is taken is named', async () => {
    const server = await start(() => ({}));
    const port = Number(new URL(server.httpUrl).port);
    await expect(startEchoServer(() => ({}), { port })).rejects.toThrow(`Cannot listen on 127.0.0.1:${port}`);
  });
});
