import { createHash } from 'node:crypto';
import { expect, inject, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { startSuiteServer } from '../conformance/suite/server.ts';
import { installMcpClients, runMcpProgram } from '../contract/support/mcp-clients.ts';
import { post } from './support/api.ts';
import { untilBalanced } from './support/balanced.ts';
import { allOf, environmentOf } from './support/processes.ts';
import { openSseStream } from './support/sse-stream.ts';

const stack = inject('stack');

const GATEWAY = 'services/gateway/src/main.ts';
const PATIENCE = { timeout: 120_000, interval: 100 };
/** Installed once per machine. */
const INSTALL_MS = 300_000;
const LARGE = 'test://large';
const CONTENT = 'é'.repeat((5 * 1024 * 1024) / 2);

const created = z.object({ id: z.int() });
const made = z.object({ mcpServerToken: z.string() });
const answer = z.object({ result: z.object({ contents: z.array(z.object({ text: z.string() })) }) });

/** Path of a server with a 5 MiB resource, and addresses of two gateways. */
async function serveLarge() {
  const upstream = await startSuiteServer('both', (mcp) =>
    mcp.registerResource('large', LARGE, { mimeType: 'text/plain' }, () => ({
      contents: [{ uri: LARGE, mimeType: 'text/plain', text: CONTENT }],
    })),
  );
  onTestFinished(() => upstream.close());
  const connection = await post('/v1/connections', {
    applicationSlug: 'mcp',
    connectionName: 'Large resource',
    authenticationId: 0,
    fields: { serverUrl: upstream.url },
  });
  const connections = [{ connectionId: created.parse(connection.body).id }];
  const { body } = await post('/admin/v1/mcpservers', { name: 'Large resource', connections });
  const path = `/mcp/${made.parse(body).mcpServerToken}/sse`;
  const gateways = await allOf(stack, GATEWAY);
  await Promise.all(gateways.map((id) => untilBalanced(stack.baseUrl, id)));
  const [here, there] = gateways.map((id) => `http://127.0.0.1:${environmentOf(id)['PORT']}`);
  if (here === undefined || there === undefined) throw new Error('Two gateways must run');
  return { path, here, there };
}

test('a resource of 5 MiB arrives whole on a stream that another gateway holds than the one that was asked', async () => {
  const { path, here, there } = await serveLarge();
  const stream = await openSseStream(here + path, stack.account.apiKey);
  onTestFinished(() => stream.close());
  const read = async (id: number): Promise<string> => {
    const request = { jsonrpc: '2.0', id, method: 'resources/read', params: { uri: LARGE } };
    expect(await stream.post(there, request)).toBe(202);
    const message = () => new RegExp(`^data: (\\{.*"id":${id}.*)\\n`, 'm').exec(stream.text())?.[1];
    await expect.poll(message, PATIENCE).toBeDefined();
    return message() ?? '';
  };
  let message = await read(5);
  // On a busy machine, the time limit of the call may pass while its worker starts.
  for (let id = 6; id < 10 && message.includes('"error"'); id += 1) {
    console.log(message);
    message = await read(id);
  }
  const [content] = answer.parse(JSON.parse(message)).result.contents;
  // Compared directly, because no readable difference exists for texts of this length.
  expect(content?.text === CONTENT, `${content?.text.length} characters`).toBe(true);
});

test.each(['sse', 'http'])(
  'so it does for a client of the first SDK over %s whose messages go to the other gateway',
  async (wire) => {
    const { path, here, there } = await serveLarge();
    const visit = {
      url: here + path,
      wire,
      headers: { 'x-api-key': stack.account.apiKey },
      messageOrigin: there,
      resource: LARGE,
    };
    const [found] = await runMcpProgram(await installMcpClients(), 'sdk-1.mjs', [visit]);
    expect(found?.output).toEqual({ digest: createHash('sha256').update(CONTENT).digest('hex') });
  },
  INSTALL_MS,
);
