import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** A client with the second generation of the SDK. */
const found = [];
for (const { url, wire, headers, call } of JSON.parse(process.argv[2])) {
  const Transport = wire === 'sse' ? SSEClientTransport : StreamableHTTPClientTransport;
  const mode = wire === 'stateless' ? { pin: '2026-07-28' } : 'legacy';
  const client = new Client({ name: 'sdk-2', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new Transport(new URL(url), { requestInit: { headers } }));
  const { tools } = await client.listTools();
  found.push({ names: tools.map(({ name }) => name), result: await client.callTool(call) });
  await client.close();
}
console.log(JSON.stringify(found));
