import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonObject } from '@fairlead/connector-model/json';
import { planFor, scriptedBody } from './mcp-conversations.ts';
import type { McpScript } from './mcp-conversations.ts';
import { openEventWire } from './event-wire.ts';
import type { AnswerStream } from './event-wire.ts';

/** A server that runs scripts, each at a URL of its own. */
export interface ScriptedMcpServer {
  /** The URL at which the script runs with this transport. */
  play(script: McpScript, wire: 'http' | 'events'): string;
  close(): Promise<void>;
}

/** Starts a server on a free loopback port. */
export async function startScriptedMcpServer(): Promise<ScriptedMcpServer> {
  const scripts = new Map<string, ActiveScript>();
  const server = createServer((request, response) => {
    // Clients close connections abruptly.
    for (const end of [request, response]) end.on('error', () => undefined);
    void answer(scripts.get((request.url ?? '').split('?', 1)[0] ?? ''), request, response).catch(() =>
      response.destroy(),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port.');
  return {
    play: (script, wire) => {
      const path = `/${scripts.size}`;
      scripts.set(path, { script, events: wire === 'events' ? openEventWire() : undefined });
      return `http://127.0.0.1:${address.port}${path}`;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A script, and its sessions if it runs over HTTP+SSE. */
interface ActiveScript {
  readonly script: McpScript;
  readonly events: ReturnType<typeof openEventWire> | undefined;
}

async function answer(
  played: ActiveScript | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  // The chunks are buffers, because no encoding is set.
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const stream = played?.events?.(request, response);
  if (played?.events !== undefined && stream === undefined) return;
  if (played === undefined || request.method !== 'POST') {
    response.writeHead(405).end();
    return;
  }
  // Our own client wrote this message.
  const message = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject;
  playScript(played.script, message, stream ?? response);
}

/** Answers a client's message by the script. */
export function playScript(script: McpScript, message: JsonObject, response: AnswerStream): void {
  const plan = planFor(script, message);
  const body = scriptedBody(plan, message);
  response.writeHead(plan.status, {
    ...(plan.header === null ? {} : { [plan.header[0]]: encodeURI(plan.header[1]) }),
    ...(plan.contentType === '' ? {} : { 'content-type': plan.contentType }),
  });
  if (plan.status === 204 || plan.status === 304) {
    // Without a body, writing would never exert back pressure.
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
