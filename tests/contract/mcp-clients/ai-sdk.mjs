import { createMCPClient } from '@ai-sdk/mcp';

/** A client with the Vercel AI SDK. */
const found = [];
for (const { url, wire, headers, call } of JSON.parse(process.argv[2])) {
  const client = await createMCPClient({
    transport: { type: wire === 'sse' ? 'sse' : 'http', url, headers },
    protocolVersionDiscovery: wire === 'stateless',
  });
  const tools = await client.tools();
  const result = await tools[call.name].execute(call.arguments, { toolCallId: '1', messages: [] });
  found.push({ names: Object.keys(tools), result });
  await client.close();
}
console.log(JSON.stringify(found));
