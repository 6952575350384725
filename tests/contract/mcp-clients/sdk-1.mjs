import { createHash } from 'node:crypto';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** Messages may go to another origin than the stream's: to another replica. */
const optionsOf = ({ headers, messageOrigin }) => ({
  requestInit: { headers },
  ...(messageOrigin !== undefined && {
    fetch: (url, init) =>
      fetch(
        init?.method === 'POST' ? new URL(new URL(url).pathname + new URL(url).search, messageOrigin) : url,
        init,
      ),
  }),
});

/** A client with the first generation of the SDK: over HTTP, or for a program that it starts. */
const transports = {
  http: (visit) => new StreamableHTTPClientTransport(new URL(visit.url), optionsOf(visit)),
  sse: (visit) => new SSEClientTransport(new URL(visit.url), optionsOf(visit)),
  stdio: ({ command, args, env }) =>
    new StdioClientTransport({ command, args, env: { ...process.env, ...env } }),
};

const found = [];
for (const visit of JSON.parse(process.argv[2])) {
  const client = new Client({ name: 'sdk-1', version: '1' });
  await client.connect(transports[visit.wire](visit));
  if (visit.resource === undefined) {
    const { tools } = await client.listTools();
    found.push({ names: tools.map(({ name }) => name), result: await client.callTool(visit.call) });
  } else {
    const { contents } = await client.readResource({ uri: visit.resource });
    const digest = createHash('sha256').update(contents[0].text).digest('hex');
    found.push({ names: [], result: { structuredContent: { digest } } });
  }
  await client.close();
}
console.log(JSON.stringify(found));
