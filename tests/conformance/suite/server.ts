import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { buffer } from 'node:stream/consumers';
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { states } from './asking-tools.ts';
import { addPrompts, addResources } from './resources.ts';
import { createTasks, TASKS } from './tasks.ts';
import { addTools } from './tools.ts';
import type { Changes } from './tools.ts';

/** A running MCP server with everything that the Model Context Protocol's suite calls. */
export interface SuiteServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Supported revisions: with sessions, without, or both. */
export type Revisions = 'sessions' | 'stateless' | 'both';

/** Adds a test's own features to a server. */
type Add = (mcp: McpServer) => void;

function createMcp(changes: Changes, isStateless: boolean, add: Add): McpServer {
  const mcp = new McpServer(
    { name: 'suite', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        logging: {},
        completions: {},
        ...(isStateless && { extensions: { [TASKS]: {} } }),
      },
      requestState: { verify: (state, context) => states.verify(state, context) },
    },
  );
  addTools(mcp, changes);
  addResources(mcp);
  addPrompts(mcp);
  add(mcp);
  return mcp;
}

/** Serves revisions with sessions; each session has its own server object. */
function createSessions(add: Add): (request: Request, body: unknown) => Promise<Response> {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();

  const begin = async (): Promise<WebStandardStreamableHTTPServerTransport> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    const mcp = createMcp(
      { toolsChanged: () => mcp.sendToolListChanged(), promptsChanged: () => mcp.sendPromptListChanged() },
      false,
      add,
    );
    await mcp.connect(transport);
    return transport;
  };

  return async (request, body) => {
    const id = request.headers.get('mcp-session-id');
    const transport = id === null && isInitializeRequest(body) ? await begin() : sessions.get(id ?? '');
    if (transport !== undefined) return transport.handleRequest(request, { parsedBody: body });
    const error = { code: -32_001, message: 'Session not found' };
    return Response.json({ jsonrpc: '2.0', id: null, error }, { status: id === null ? 400 : 404 });
  };
}

/** Starts an MCP server with everything that the Model Context Protocol's suite calls. */
export async function startSuiteServer(
  revisions: Revisions = 'both',
  add: Add = () => undefined,
): Promise<SuiteServer> {
  const stateless = createMcpHandler(() => createMcp(stateless.notify, true, add), {
    legacy: 'reject',
    onerror: () => undefined,
  });
  const sessions = createSessions(add);
  const onTask = createTasks();

  const respond = async (request: Request): Promise<Response> => {
    if (!isLocal(request)) return new Response(null, { status: 403 });
    const text = request.method === 'POST' ? await request.clone().text() : '';
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const isOld = revisions !== 'stateless' && (revisions === 'sessions' || (await isLegacyRequest(request)));
    if (isOld) return sessions(request, body);
    return (await onTask(body, request.headers)) ?? stateless.fetch(request);
  };
  const server = createServer((request, response) => {
    serve(request, response, respond).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no TCP address.');
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    close: async () => {
      await stateless.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Whether a request's Host is this machine, so that browser pages cannot reach the server under another name. */
function isLocal({ headers }: Request): boolean {
  const names = [`http://${headers.get('host')}`, headers.get('origin') ?? 'http://localhost'];
  return names.every((name) => ['127.0.0.1', 'localhost'].includes(URL.parse(name)?.hostname ?? ''));
}

/** Serves a Node.js request with a web handler. */
async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  respond: (request: Request) => Promise<Response>,
): Promise<void> {
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  const { method = 'GET', url = '/' } = request;
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
  const body = method === 'POST' ? new Uint8Array(await buffer(request)) : null;
  const asked = new Request(`http://127.0.0.1${url}`, { method, headers, body, signal: closed.signal });
  const answer = await respond(asked);
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body === null) response.end();
  else {
    response.flushHeaders();
    await pipeline(Readable.fromWeb(answer.body), response);
  }
}
