import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** The first generation of the SDK: over HTTP, or to a program that it starts. */
const transports = {
  http: ({ url, headers }) => new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
  sse: ({ url, headers }) => new SSEClientTransport(new URL(url), { requestInit: { headers } }),
  stdio: ({ command, args, env }) =>
    new StdioClientTransport({ command, args, env: { ...process.env, ...env } }),
};

const found = [];
for (const visit of JSON.parse(process.argv[2])) {
  const client = new Client({ name: 'sdk-1', version: '1' });
  await client.connect(transports[visit.wire](visit));
  const { tools } = await client.listTools();
  found.push({ names: tools.map(({ name }) => name), result: await client.callTool(visit.call) });
  await client.close();
}
console.log(JSON.stringify(found));
