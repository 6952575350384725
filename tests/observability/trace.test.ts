import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { del, get, post, stack } from '../contract/support/api.ts';
import { createCrmConnection, removeConnection } from '../contract/support/connections.ts';
import { receivedSpans } from './support/collector.ts';
import type { CollectedSpan } from './support/collector.ts';

const { collectorUrl, data } = inject('observed');

// Services export spans every five seconds.
const ARRIVAL = { timeout: 90_000, interval: 250 };

const services = {
  resolveTool: 'fairlead.catalog.v1.ToolService/ResolveTool',
  resolveConnections: 'fairlead.connections.v1.CredentialService/ResolveConnections',
  executeTool: 'fairlead.tools.v1.ExecutionService/ExecuteTool',
  handleMessage: 'fairlead.mcp.v1.EndpointService/HandleMessage',
};

/** Sends a request within a trace of the client; returns the spans below it once `last` is among them. */
async function findTrace(
  send: (headers: Record<string, string>) => Promise<unknown>,
  isComplete: (spans: readonly CollectedSpan[]) => boolean,
): Promise<{ spans: CollectedSpan[]; clientSpanId: string }> {
  const traceId = randomBytes(16).toString('hex');
  const clientSpanId = randomBytes(8).toString('hex');
  await send({ traceparent: `00-${traceId}-${clientSpanId}-01` });
  let spans: CollectedSpan[] = [];
  const isThere = async (): Promise<boolean> => {
    spans = (await receivedSpans(collectorUrl)).filter((span) => span.traceId === traceId);
    return isComplete(spans);
  };
  await expect.poll(isThere, ARRIVAL).toBe(true);
  return { spans, clientSpanId };
}

/** The path `gateway: server POST /v1/…` and so on, from the span up to the client's. */
function pathOf(span: CollectedSpan | undefined, spans: readonly CollectedSpan[]): string[] {
  if (span === undefined) return [];
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [...pathOf(parent, spans), `${span.service}: ${span.kind} ${span.name}`];
}

const TO_TOOLS = [
  'gateway: server POST /v1/tools/{toolSlug}/execute',
  `gateway: client ${services.executeTool}`,
  `tools: server ${services.executeTool}`,
];
/** The hops of an execution from the tools service on. */
const HOPS = [
  [`tools: client ${services.resolveTool}`, `catalog: server ${services.resolveTool}`],
  [
    `tools: client ${services.resolveConnections}`,
    `connections: server ${services.resolveConnections}`,
    'connections: client find connections',
  ],
  ['tools: client insert executions'],
  ['tools: client GET'],
].map((hop) => [...TO_TOOLS, ...hop].join('\n'));

test('one trace of an execution shows every hop: gateway, tools, catalog, connections, MongoDB, vendor', async () => {
  const { id } = await createCrmConnection('Traced');
  const pathsOf = (spans: readonly CollectedSpan[]): readonly (readonly string[])[] =>
    spans.map((span) => pathOf(span, spans));
  try {
    const { spans, clientSpanId } = await findTrace(
      async (headers) => {
        const answer = await post('/v1/tools/sandbox-crm-whoami/execute', {}, { headers });
        expect(answer.body, answer.text).toMatchObject({ isSuccess: true });
      },
      // An export contains the spans that have ended since the last one, possibly part of a call.
      (seen) => {
        const paths = pathsOf(seen);
        const texts = new Set(paths.map((path) => path.join('\n')));
        return HOPS.every((hop) => texts.has(hop)) && paths.every((path) => path[0] === TO_TOOLS[0]);
      },
    );
    const roots = spans.filter(({ parentSpanId }) => parentSpanId === clientSpanId);
    expect(roots.map(({ service, name }) => [service, name])).toEqual([
      ['gateway', 'POST /v1/tools/{toolSlug}/execute'],
    ]);
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

test('one trace of a tool call of an MCP client goes from the gateway through mcp to the vendor, and names no token', async () => {
  const { id } = await createCrmConnection('Traced');
  const connections = [{ connectionId: id, tools: ['sandbox-crm-whoami'] }];
  const { mcpServerToken: token } = (await post('/admin/v1/mcpservers', { name: 'Traced', connections }))
    .body;
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'sandbox-crm-whoami' } };
  const hops = [
    'gateway: server POST /mcp/{token}/mcp',
    `gateway: client ${services.handleMessage}`,
    `mcp: server ${services.handleMessage}`,
    `mcp: client ${services.executeTool}`,
    `tools: server ${services.executeTool}`,
    'tools: client GET',
  ];
  try {
    const { spans } = await findTrace(
      async (headers) => {
        const answer = await post(`${stack.mcpUrl}/${token}/mcp`, message, { headers });
        expect(answer.body.result, answer.text).not.toHaveProperty('isError');
      },
      (seen) => seen.some((span) => pathOf(span, seen).join('\n') === hops.join('\n')),
    );
    expect(JSON.stringify(spans)).not.toContain(token);
  } finally {
    await del(`/admin/v1/mcpservers/${token}`);
    await removeConnection(id);
  }
});

test('[completion.everywhere.38] the x-request-id of a call is in the log of every service that it reaches, and in its trace', async () => {
  const { id } = await createCrmConnection('Identified');
  const requestId = `of-the-client.${randomBytes(8).toString('hex')}`;
  try {
    const { spans } = await findTrace(
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
      ...(await findTrace(
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

/** A trigger with an inbound address, and a receiver of its events, until the test ends. */
async function createInboundTrigger(): Promise<{ inboundUrl: string; receiverPort: number }> {
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(204).end());
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo; // a listening TCP server has one
  const url = `http://127.0.0.1:${port}/`;
  const destination = await post('/v1/triggers/destinations', { url });
  const destinationIds = [destination.body.id];
  const trigger = await post('/v1/triggers', {
    name: 'Traced',
    triggerTypeSlug: 'http_webhook',
    destinationIds,
  });
  expect(trigger.status, trigger.text).toBe(201);
  onTestFinished(async () => {
    await del(`/v1/triggers/${trigger.body.id}`);
    await del(`/v1/triggers/destinations/${destination.body.id}`);
    receiver.closeAllConnections();
    receiver.close();
  });
  return { inboundUrl: trigger.body.inboundUrl, receiverPort: port };
}

const HOOK = 'gateway: server POST /hooks/{token}';
const ATTEMPTS = 'deliver event';

const requestOf = (spans: readonly CollectedSpan[]): CollectedSpan | undefined =>
  spans.find(({ service, name }) => service === 'delivery' && name === 'POST');

test('the trace of a call to a trigger goes on over the stream to the request of the attempt', async () => {
  const { inboundUrl, receiverPort } = await createInboundTrigger();
  const { spans, clientSpanId } = await findTrace(
    async (headers) => {
      const answer = await fetch(inboundUrl, { method: 'POST', body: '{}', headers });
      expect(answer.status).toBe(202);
    },
    (seen) => pathOf(requestOf(seen), seen)[0] === HOOK,
  );
  const request = requestOf(spans);
  const path = pathOf(request, spans);
  expect(path.slice(-2)).toEqual([`delivery: client ${ATTEMPTS}`, 'delivery: client POST']);
  expect(request?.attributes).toMatchObject({
    'server.port': receiverPort,
    'http.response.status_code': 204,
  });
  expect(spans.find(({ name }) => name === 'POST /hooks/{token}')?.parentSpanId).toBe(clientSpanId);
});

test('calls that are captured together keep their traces apart', async () => {
  const { inboundUrl } = await createInboundTrigger();
  const calls = await Promise.all(
    Array.from({ length: 20 }, () =>
      findTrace(
        async (headers) => {
          const answer = await fetch(inboundUrl, { method: 'POST', body: '{}', headers });
          expect(answer.status).toBe(202);
        },
        (seen) => seen.some(({ name }) => name === ATTEMPTS),
      ),
    ),
  );
  for (const { spans } of calls) expect(spans.filter(({ name }) => name === ATTEMPTS)).toHaveLength(1);
});
