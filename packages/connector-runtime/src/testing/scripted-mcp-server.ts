import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonObject } from '@fairlead/connector-model/model';
import { planFor, scriptedBody } from './mcp-conversations.ts';
import type { McpScript } from './mcp-conversations.ts';

/** A server that plays scripts, each at an address of its own. */
export interface ScriptedMcpServer {
  /** The address at which the script is played. */
  play(script: McpScript): string;
  close(): Promise<void>;
}

/** Starts a server on a free loopback port. */
export async function startScriptedMcpServer(): Promise<ScriptedMcpServer> {
  const scripts = new Map<string, McpScript>();
  const server = createServer((request, response) => {
    // The client ends conversations abruptly.
    for (const end of [request, response]) end.on('error', () => undefined);
    void answer(scripts.get(request.url ?? ''), request, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port.');
  return {
    play: (script) => {
      const path = `/${scripts.size}`;
      scripts.set(path, script);
      return `http://127.0.0.1:${address.port}${path}`;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answer(
  script: McpScript | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  // No encoding is set.
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (script === undefined || request.method !== 'POST') {
    response.writeHead(405).end();
    return;
  }
  // The client's own message.
  const message = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject;
  playScript(script, message, response);
}

/** Responds to a client's message as a script says. */
export function playScript(script: McpScript, message: JsonObject, response: ServerResponse): void {
  const plan = planFor(script, message);
  const body = scriptedBody(plan, message);
  if (plan.header !== null) response.setHeader(plan.header[0], encodeURI(plan.header[1]));
  if (plan.contentType !== '') response.setHeader('content-type', plan.contentType);
  response.writeHead(plan.status);
  if (plan.status === 204 || plan.status === 304) {
    // Without a body, writing would never block.
    response.end();
    return;
  }
  switch (plan.end) {
    case 'end':
      response.end(body);
      return;
    case 'destroy':
      response.write(body, () => response.destroy());
      return;
    case 'silent':
      response.write(body);
      return;
    case 'endless': {
      const block = body.length === 0 ? Buffer.from('\n') : body;
      const flood = (): void => {
        while (!response.destroyed && response.write(block));
      };
      response.on('drain', flood);
      flood();
    }
  }
}
