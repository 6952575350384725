import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { loadConfig } from '../config.ts';
import { recordEgress } from './service-metrics.ts';
import { startTelemetry } from './telemetry.ts';
import type { Telemetry } from './telemetry.ts';
import { telemetryConfigShape, wantsTraces } from './config.ts';
import { captureLog } from '../testing/log-lines.ts';
import { inSpan, isTracing, startSpan } from './tracing.ts';

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

async function start(env: Record<string, string>): Promise<Telemetry & { readonly logText: () => string }> {
  const { log, text } = captureLog();
  const config = { HOST: '127.0.0.1', ...loadConfig(z.object(telemetryConfigShape), env) };
  const telemetry = await startTelemetry({ service: 'test', config, log });
  opened.push(() => telemetry.close());
  return { ...telemetry, logText: text };
}

/** An OTLP collector on loopback, and its received requests. */
async function collect(): Promise<{
  url: string;
  received: { path: string; type: string | undefined; body: Buffer }[];
}> {
  const received: { path: string; type: string | undefined; body: Buffer }[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    received.push({ path: request.url ?? '', type: request.headers['content-type'], body });
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  };
  const server = createServer((request, response) => void take(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

describe('the admin port', () => {
  it('serves the metrics of the process and its liveness', async () => {
    const { adminUrl } = await start({ ADMIN_PORT: '0' });
    recordEgress('http', '2xx', 12);
    const metrics = await fetch(`${adminUrl}/metrics`);
    expect(metrics.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const page = await metrics.text();
    expect(page).toContain('egress_call_duration_seconds_count{kind="http",outcome="2xx"}');
    expect(page).toContain('nodejs_eventloop_lag_p99_seconds');
    expect((await fetch(`${adminUrl}/livez`)).status).toBe(200);
  });

  it('serves nothing else and accepts no writes', async () => {
    const { adminUrl } = await start({ ADMIN_PORT: '0' });
    expect((await fetch(`${adminUrl}/`)).status).toBe(404);
    expect((await fetch(`${adminUrl}/metrics`, { method: 'POST' })).status).toBe(405);
  });

  it('is not opened if ADMIN_PORT is not set', async () => {
    expect((await start({})).adminUrl).toBeUndefined();
  });

  it('refuses a taken port with the name of the setting', async () => {
    const { adminUrl = '' } = await start({ ADMIN_PORT: '0' });
    await expect(start({ ADMIN_PORT: new URL(adminUrl).port })).rejects.toThrow('ADMIN_PORT');
  });
});

describe('the settings of tracing', () => {
  it.each([
    [{}, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' }, true],
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, true],
    [{ OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, false],
  ])('%o: %s', (env, expected) => {
    expect(wantsTraces(loadConfig(z.object(telemetryConfigShape), env))).toBe(expected);
  });

  it.each([
    ['http/protobuf', 'application/x-protobuf'],
    ['http/json', 'application/json'],
  ])(
    '%s: spans arrive as %s with the name of the service, the last ones at the close',
    async (protocol, type) => {
      const { url, received } = await collect();
      const telemetry = await start({
        OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/`,
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      });
      const parent = startSpan({ name: 'outer work', kind: 'server' });
      inSpan(parent, () => startSpan({ name: 'inner work', kind: 'client' })?.end('TIMEOUT'));
      parent?.end();
      await telemetry.close();
      expect(received.map((it) => [it.path, it.type])).toEqual([['/v1/traces', type]]);
      const text = received[0]?.body.toString('latin1') ?? '';
      for (const part of ['service.name', 'test', 'outer work', 'inner work', 'TIMEOUT']) {
        expect(text).toContain(part);
      }
      expect(isTracing()).toBe(false);
    },
  );

  it('a remote trace is continued, and an unsampled one is not kept', async () => {
    const { url, received } = await collect();
    const telemetry = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    });
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers: Record<string, string> = {
      traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
      tracestate: 'vendor=1',
    };
    const kept = startSpan({ name: 'kept', kind: 'server', remote: (name) => headers[name] });
    expect(kept?.traceId).toBe(traceId);
    expect(kept?.headers()['traceparent']).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
    expect(kept?.headers()['tracestate']).toBe('vendor=1');
    kept?.end();
    headers['traceparent'] = `00-${traceId}-00f067aa0ba902b7-00`;
    startSpan({ name: 'not to be kept', kind: 'server', remote: (name) => headers[name] })?.end();
    await telemetry.close();
    const text = received.map(({ body }) => body.toString()).join('');
    expect(text).toContain('kept');
    expect(text).not.toContain('not to be kept');
  });

  it('an unreachable collector costs a log line, and delays no stop', async () => {
    const { logText, ...telemetry } = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    });
    startSpan({ name: 'work', kind: 'server' })?.end();
    await telemetry.close();
    expect(logText()).toContain('spans could not be exported');
  });
});

describe('without an exporter', () => {
  /** The OpenTelemetry modules that a process loads if it uses all traced parts of the kit. */
  async function loadedBy(env: Record<string, string>): Promise<string[]> {
    const script = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
      for (const module of ['rpc/server', 'rpc/client', 'mongo/mongo', 'telemetry/logger'])
        await import('@fairlead/service-kit/' + module);
      const { startTelemetry } = await import('@fairlead/service-kit/telemetry/telemetry');
      const { telemetryConfigShape } = await import('@fairlead/service-kit/telemetry/config');
      const { loadConfig } = await import('@fairlead/service-kit/config');
      const { createLogger } = await import('@fairlead/service-kit/telemetry/logger');
      const { z } = await import('zod');
      const config = { HOST: '127.0.0.1', ...loadConfig(z.object(telemetryConfigShape), process.env) };
      const log = createLogger({ service: 'test', level: 'silent' });
      const telemetry = await startTelemetry({ service: 'test', config, log });
      await telemetry.close();
      console.log(JSON.stringify(loaded.filter((url) => url.includes('opentelemetry') || url.includes('open-telemetry'))));
    `;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', script],
      { cwd: import.meta.dirname, env },
    );
    return JSON.parse(stdout) as string[];
  }

  it('nothing of OpenTelemetry is loaded', async () => {
    expect(await loadedBy({ ADMIN_PORT: '0' })).toEqual([]);
  });

  it('and with one it is, so that the test above sees it', async () => {
    const loaded = await loadedBy({ OTEL_TRACES_EXPORTER: 'otlp' });
    expect(loaded.some((url) => url.includes('/@opentelemetry/sdk-trace/'))).toBe(true);
  });
});
