import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { get, post, stack } from '../contract/support/api.ts';
import { createCrmConnection, removeConnection } from '../contract/support/connections.ts';
import { receivedSpans } from './support/collector.ts';
import type { CollectedSpan } from './support/collector.ts';

const { collectorUrl, data } = inject('observed');

// Services send their spans every five seconds.
const ARRIVAL = { timeout: 30_000, interval: 250 };

const services = {
  resolveTool: 'fairlead.catalog.v1.ToolService/ResolveTool',
  resolveConnection: 'fairlead.connections.v1.CredentialService/ResolveConnection',
  executeTool: 'fairlead.tools.v1.ExecutionService/ExecuteTool',
};

/** Sends a request that continues a trace of the client; returns the spans below it once `last` is among them. */
async function traced(
  send: (headers: Record<string, string>) => Promise<unknown>,
  isComplete: (spans: readonly CollectedSpan[]) => boolean,
): Promise<{ spans: CollectedSpan[]; clientSpanId: string }> {
  const traceId = randomBytes(16).toString('hex');
  const clientSpanId = randomBytes(8).toString('hex');
  await send({ traceparent: `00-${traceId}-${clientSpanId}-01` });
  const ofTrace = async () => (await receivedSpans(collectorUrl)).filter((span) => span.traceId === traceId);
  await expect.poll(async () => isComplete(await ofTrace()), ARRIVAL).toBe(true);
  return { spans: await ofTrace(), clientSpanId };
}

/** `gateway: server POST /v1/…` and so on, from the span up to the client's own. */
function pathOf(span: CollectedSpan | undefined, spans: readonly CollectedSpan[]): string[] {
  if (span === undefined) return [];
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [...pathOf(parent, spans), `${span.service}: ${span.kind} ${span.name}`];
}

test('one trace of an execution shows every hop: gateway, tools, catalog, connections, MongoDB, vendor', async () => {
  const { id } = await createCrmConnection('Traced');
  try {
    const { spans, clientSpanId } = await traced(
      async (headers) => {
        const answer = await post('/v1/tools/sandbox-crm-whoami/execute', {}, { headers });
        expect(answer.body, answer.text).toMatchObject({ isSuccess: true });
      },
      (seen) =>
        new Set(seen.map(({ service }) => service)).size === 4 &&
        seen.some(({ name }) => name.startsWith('POST /v1')),
    );
    const roots = spans.filter(({ parentSpanId }) => parentSpanId === clientSpanId);
    expect(roots.map(({ service, name }) => [service, name])).toEqual([
      ['gateway', 'POST /v1/tools/{toolSlug}/execute'],
    ]);
    const paths = spans.map((span) => pathOf(span, spans));
    const toTools = [
      'gateway: server POST /v1/tools/{toolSlug}/execute',
      `gateway: client ${services.executeTool}`,
      `tools: server ${services.executeTool}`,
    ];
    expect(paths.every((path) => path[0] === toTools[0])).toBe(true);
    for (const hop of [
      [`tools: client ${services.resolveTool}`, `catalog: server ${services.resolveTool}`],
      [
        `tools: client ${services.resolveConnection}`,
        `connections: server ${services.resolveConnection}`,
        'connections: client find connections',
      ],
      ['tools: client insert executions'],
      ['tools: client GET'],
    ]) {
      expect(paths).toContainEqual([...toTools, ...hop]);
    }
    const vendor = spans.find(({ service, name }) => service === 'tools' && name === 'GET');
    expect(vendor?.attributes).toEqual({
      'http.request.method': 'GET',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(stack.sandboxCrm.url).port),
      'http.response.status_code': 200,
    });
  } finally {
    await removeConnection(id);
  }
});

test('[completion.everywhere.38] the x-request-id of a call is in the log of every service that it reaches, and in its trace', async () => {
  const { id } = await createCrmConnection('Identified');
  const requestId = `of-the-client.${randomBytes(8).toString('hex')}`;
  try {
    const { spans } = await traced(
      async (headers) => {
        const answer = await post(
          '/v1/tools/sandbox-crm-whoami/execute',
          {},
          { headers: { ...headers, 'x-request-id': requestId } },
        );
        expect(answer.body, answer.text).toMatchObject({ isSuccess: true });
        expect(answer.headers.get('x-request-id')).toBe(requestId);
      },
      (seen) => seen.some(({ name }) => name.startsWith('POST /v1')),
    );
    const [root] = spans.filter(({ name }) => name.startsWith('POST /v1'));
    expect(root?.attributes['fairlead.request_id']).toBe(requestId);
    for (const service of ['gateway', 'tools', 'catalog', 'connections']) {
      const linesOf = async (): Promise<number> =>
        (await readFile(join(data, 'logs', `${service}.log`), 'utf8'))
          .split('\n')
          .filter((line) => line.includes(`"requestId":"${requestId}"`)).length;
      await expect.poll(linesOf, ARRIVAL).toBeGreaterThan(0);
    }
  } finally {
    await removeConnection(id);
  }
});

test('requests of several clients keep their traces apart', async () => {
  const results = await Promise.all(
    ['/v1/applications', '/v1/connections', '/v1/executions'].map(async (path) => ({
      path,
      ...(await traced(
        (headers) => get(path, { headers }),
        (seen) =>
          seen.some(({ name }) => name === `GET ${path}`) &&
          seen.some(({ service }) => service !== 'gateway'),
      )),
    })),
  );
  for (const { path, spans } of results) {
    const routes = spans.filter(({ name }) => name.startsWith('GET /'));
    expect(routes.map(({ name }) => name)).toEqual([`GET ${path}`]);
  }
});
