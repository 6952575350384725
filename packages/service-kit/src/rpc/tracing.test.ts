import { create } from '@bufbuild/protobuf';
import { StringValueSchema } from '@bufbuild/protobuf/wkt';
import { EchoService } from '@fairlead/connect-fast/testing/echo-service';
import { ApiError } from '@fairlead/errors/api-error';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { createRpcClient } from './client.ts';
import type { RpcClient } from './client.ts';
import { createRpcPeer } from './peer.ts';
import { requestContext } from './request.ts';
import { registry } from '../telemetry/service-metrics.ts';
import { testContext } from '../testing/context.ts';
import { captureLog } from '../testing/log-lines.ts';
import { recordSpans } from '../testing/recording-tracer.ts';
import { startEchoServer, testCallerKeys } from '../testing/rpc.ts';
import { inSpan, startSpan } from '../telemetry/tracing.ts';

const opened: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

type Say = Parameters<typeof startEchoServer>[0];

async function echo(
  transport: 'connect-fast' | 'grpc',
  say: Say = ({ value }) => create(StringValueSchema, { value }),
): Promise<{ client: RpcClient<typeof EchoService>; logs: ReturnType<typeof captureLog> }> {
  const logs = captureLog();
  const server = await startEchoServer(say, { log: logs.log });
  const addresses = [transport === 'grpc' ? server.grpcUrl : server.httpUrl];
  const peer = createRpcPeer({ service: 'echo', addresses, transport });
  opened.push(
    () => server.close(),
    () => peer.close(),
  );
  return {
    client: createRpcClient(EchoService, { peer, callerKeys: testCallerKeys, clock: systemClock }),
    logs,
  };
}

function trace() {
  const { spans, stop } = recordSpans();
  opened.push(stop);
  return spans;
}

/** The number of calls of an RPC on the metrics page, counted by the client or the server. */
function count(side: 'server' | 'client', code: string): number {
  const track = side === 'client' ? ',track="stable"' : '';
  const labels = `{service="fairlead.testing.v1.EchoService",method="Say",code="${code}"${track}}`;
  const text = registry.render().split(`rpc_${side}_duration_seconds_count${labels} `)[1];
  return text === undefined ? 0 : Number.parseInt(text, 10);
}

describe.each(['connect-fast', 'grpc'] as const)('over %s', (transport) => {
  it('a call is one trace: the caller, its call, the called service, and its work', async () => {
    const { client, logs } = await echo(transport, async ({ value }) => {
      await inSpan(startSpan({ name: 'store', kind: 'client' }), () => Promise.resolve());
      return create(StringValueSchema, { value });
    });
    const spans = trace();
    await inSpan(startSpan({ name: 'request', kind: 'server' }), () =>
      client.say(testContext(), { value: 'canary' }),
    );
    expect(spans.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      'server request',
      'client fairlead.testing.v1.EchoService/Say',
      'server fairlead.testing.v1.EchoService/Say',
      'client store',
    ]);
    expect(spans.slice(1).map(({ parentId }) => parentId)).toEqual(
      spans.slice(0, -1).map(({ spanId }) => spanId),
    );
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(spans[2]).toMatchObject({ attributes: { 'rpc.response.status_code': 'OK' }, hasEnded: true });
    expect(JSON.stringify(spans)).not.toContain('canary');
    expect(logs.lines().find(({ msg }) => msg === 'rpc')?.['traceId']).toBe(spans[0]?.traceId);
  });

  it('a refusal fails the span of the call only, a fault that of the service too', async () => {
    const { client } = await echo(transport, ({ value }, h) => {
      requestContext(h);
      throw value === 'refuse' ? new ApiError('NOT_FOUND', 'No.') : new Error('canary');
    });
    const spans = trace();
    await expect(client.say(testContext(), { value: 'refuse' })).rejects.toThrow('No.');
    await expect(client.say(testContext(), { value: 'break' })).rejects.toThrow('Something went wrong');
    expect(spans.map(({ kind, failure }) => [kind, failure])).toEqual([
      ['client', 'NOT_FOUND'],
      ['server', undefined],
      ['client', 'INTERNAL'],
      ['server', 'INTERNAL'],
    ]);
    expect(spans[1]?.attributes['rpc.response.status_code']).toBe('NOT_FOUND');
    expect(JSON.stringify(spans)).not.toContain('canary');
  });

  it('both sides count each call by its code, traced or not', async () => {
    const { client } = await echo(transport, ({ value }) => {
      if (value === 'refuse') throw new ApiError('CONFLICT', 'No.');
      return create(StringValueSchema, { value });
    });
    const counts = () =>
      (['server', 'client'] as const).flatMap((side) => [count(side, 'OK'), count(side, 'CONFLICT')]);
    const before = counts();
    await client.say(testContext(), { value: 'a' });
    await expect(client.say(testContext(), { value: 'refuse' })).rejects.toThrow('No.');
    expect(counts()).toEqual(before.map((value) => value + 1));
  });
});

it('a call without a caller context is counted though no method ran', async () => {
  const server = await startEchoServer(({ value }) => create(StringValueSchema, { value }));
  opened.push(() => server.close());
  const before = count('server', 'UNAUTHORIZED');
  await fetch(`${server.httpUrl}/fairlead.testing.v1.EchoService/Say`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '"a"',
  });
  expect(count('server', 'UNAUTHORIZED')).toBe(before + 1);
});

it('probes are not traced', async () => {
  const server = await startEchoServer(({ value }) => create(StringValueSchema, { value }));
  opened.push(() => server.close());
  const spans = trace();
  const probe = await fetch(`${server.httpUrl}/grpc.health.v1.Health/Check`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect(await probe.json()).toEqual({ status: 'SERVING' });
  expect(spans).toEqual([]);
});
