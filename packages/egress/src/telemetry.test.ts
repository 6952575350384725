import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createGuardedEgress } from './guarded-egress.ts';
import type { Egress } from './egress.ts';
import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { recordSpans } from '@fairlead/service-kit/testing/recording-tracer';

const never = new AbortController().signal;
let url = '';
let received: IncomingHttpHeaders[] = [];
let egress: Egress;
const opened: (() => Promise<unknown> | void)[] = [];

beforeEach(async () => {
  received = [];
  const server = createServer((request, response) => {
    received.push(request.headers);
    response.writeHead(request.url?.startsWith('/missing') === true ? 404 : 200).end('ok');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  egress = createGuardedEgress({ allow: ['127.0.0.0/8'], userAgent: 'Fairlead/test', log: captureLog().log });
  opened.push(
    () => server.closeAllConnections(),
    () => void server.close(),
    () => egress.close(),
  );
});
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

function trace(o: { toVendors?: boolean } = {}) {
  const { spans, stop } = recordSpans(o);
  opened.push(stop);
  return spans;
}

function count(outcome: string, kind = 'http'): number {
  const line = `egress_call_duration_seconds_count{kind="${kind}",outcome="${outcome}"} `;
  const text = registry.render().split(line)[1];
  return text === undefined ? 0 : Number.parseInt(text, 10);
}

test('a call shows method, host, port and status; its path, query and headers stay out', async () => {
  const spans = trace();
  const headers = { authorization: 'Bearer canary' };
  const call = { method: 'POST', url: `${url}/canary?key=canary`, headers, body: 'canary' };
  await egress.request({ ...call, signal: never, timeoutMs: 5000 });
  await egress.createFetch()(`${url}/canary?key=canary`, { method: 'POST', headers });
  const attributes = {
    'http.request.method': 'POST',
    'server.address': '127.0.0.1',
    'server.port': Number(new URL(url).port),
    'http.response.status_code': 200,
  };
  expect(spans).toMatchObject([
    { name: 'POST', kind: 'client', attributes, failure: undefined, hasEnded: true },
    { name: 'POST', kind: 'client', attributes, failure: undefined, hasEnded: true },
  ]);
  expect(JSON.stringify(spans)).not.toContain('canary');
});

test('a vendor gets nothing of the trace, unless the operator chose so; then only traceparent', async () => {
  const request = { method: 'GET', url, signal: never, timeoutMs: 5000 };
  trace();
  await egress.request(request);
  await egress.createFetch()(url);
  await opened.pop()?.();
  const spans = trace({ toVendors: true });
  await egress.request(request);
  await egress.createFetch()(url, { headers: { 'x-own': '1' } });
  expect(received.map(({ traceparent }) => traceparent)).toEqual([
    undefined,
    undefined,
    ...spans.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`),
  ]);
  expect(received.at(-1)).toMatchObject({ 'x-own': '1' });
  expect(received.every(({ tracestate }) => tracestate === undefined)).toBe(true);
});

test('calls are counted by the class of their status, or by why there was none', async () => {
  const before = [count('2xx'), count('4xx'), count('connection_refused'), count('address_blocked')];
  const request = { method: 'GET', signal: never, timeoutMs: 5000 };
  await egress.request({ ...request, url });
  await egress.createFetch()(`${url}/missing`);
  await expect(egress.request({ ...request, url: 'http://127.0.0.1:1/' })).rejects.toThrow('refused');
  await expect(egress.createFetch()('http://10.1.2.3/')).rejects.toThrow('not allowed');
  const after = [count('2xx'), count('4xx'), count('connection_refused'), count('address_blocked')];
  expect(after).toEqual(before.map((value) => value + 1));
});

test('a failed call fails its span', async () => {
  const spans = trace();
  await expect(
    egress.request({ method: 'GET', url: 'http://127.0.0.1:1/', signal: never, timeoutMs: 5000 }),
  ).rejects.toThrow('refused');
  await egress.createFetch()(`${url}/missing`);
  expect(spans.map(({ failure }) => failure)).toEqual(['connection_refused', '4xx']);
});

test('a socket for a database driver is counted and in the trace, too', async () => {
  const spans = trace();
  const before = count('connected', 'socket');
  const port = Number(new URL(url).port);
  const socket = await egress.openSocket('127.0.0.1', port, never);
  socket.destroy();
  expect(count('connected', 'socket')).toBe(before + 1);
  expect(spans).toMatchObject([
    { name: 'connect', attributes: { 'server.address': '127.0.0.1', 'server.port': port }, hasEnded: true },
  ]);
});
