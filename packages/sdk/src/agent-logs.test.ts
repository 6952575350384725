import { afterEach, expect, it } from 'vitest';
import { Fairlead } from './fairlead.ts';
import { refusal, startApiServer } from './testing/api-server.ts';
import type { ApiServer } from './testing/api-server.ts';

let server: ApiServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function clientOf(answer: Parameters<typeof startApiServer>[0]): Promise<Fairlead> {
  server = await startApiServer(answer);
  return new Fairlead({ baseUrl: server.url, apiKey: 'fairlead_key', maxRetries: 0 });
}

it('the logs of an agent are the bytes of the response, as they come', async () => {
  const archive = new Uint8Array([0x50, 0x4b, 0x05, 0x06, 0xff, 0x00]);
  const client = await clientOf(() => (response) => response.end(archive));
  const content = await client.onPremAgents.downloadLogs(7);
  expect(new Uint8Array(await new Response(content).arrayBuffer())).toEqual(archive);
  expect(server?.received).toMatchObject([
    { method: 'GET', path: '/v1/on-prem-agents/7/logs', headers: { accept: '*/*' } },
  ]);
});

it('logs that end early fail where they are read', async () => {
  const client = await clientOf(() => (response) => {
    response.writeHead(200, { 'content-length': '10' });
    response.write('half', () => response.destroy());
  });
  const content = await client.onPremAgents.downloadLogs(7);
  await expect(new Response(content).text()).rejects.toThrow('terminated');
});

it('the reason why there are no logs is that of the API', async () => {
  const client = await clientOf(() => refusal(409, 'OPA_AGENT_OFFLINE', {}));
  await expect(client.onPremAgents.downloadLogs(7)).rejects.toMatchObject({
    status: 409,
    errorCode: 'OPA_AGENT_OFFLINE',
  });
});
