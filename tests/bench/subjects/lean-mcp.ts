// A separate process: an MCP server without sessions, whose only tool does nothing.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { reportReady } from '../child.ts';

/** The members of a protocol message that this server reads. */
interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: string };
}

const TOOL = { name: 'noop', description: 'Does nothing.', inputSchema: { type: 'object', properties: {} } };

function resultOf({ method, params }: Message): object | undefined {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion ?? '',
        capabilities: { tools: {} },
        serverInfo: { name: 'lean', version: '1' },
      };
    case 'tools/list':
      return { tools: [TOOL] };
    case 'tools/call':
      return { content: [{ type: 'text', text: 'done' }] };
    default:
      return undefined;
  }
}

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const answer = async (): Promise<void> => {
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    // The stack sends nothing else.
    const message = (await json(request)) as Message;
    if (message.id === undefined) {
      response.writeHead(202).end();
      return;
    }
    const result = resultOf(message);
    const error = { code: -32_601, message: 'Method not found' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: message.id, ...(result ? { result } : { error }) });
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  };
  void answer().catch(() => response.destroy());
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
// A server that listens on TCP has an address of this kind.
reportReady({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` });
