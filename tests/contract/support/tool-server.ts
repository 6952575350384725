import { mcpResult, startTestMcpServer } from '@fairlead/connector-runtime/testing/mcp-server';
import type { JsonObject } from '@fairlead/connector-model/model';
import { expectStatus } from './accounts.ts';
import { put } from './api.ts';
import { createConnection } from './connections.ts';
import type { TestAccount } from './own-accounts.ts';

/** A call of a tool as its server received it. */
interface ReceivedCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** An MCP server whose tools a test changes, with a connection of an account to it. */
export interface ToolServer {
  readonly connectionId: number;
  readonly applicationSlug: string;
  /** Calls that reached the server. */
  readonly calls: readonly ReceivedCall[];
  /** The server has these tools from now on, and Fairlead has read them. */
  setTools(tools: readonly JsonObject[]): Promise<void>;
  /** Another connection to the same server; returns its id. */
  connect(): Promise<number>;
  close(): Promise<void>;
}

/** Starts a server with these tools and connects the account to it. */
export async function startToolServer(
  account: TestAccount,
  first: readonly JsonObject[],
): Promise<ToolServer> {
  let tools = first;
  const calls: ReceivedCall[] = [];
  const server = await startTestMcpServer((message) => {
    if (message.method === 'tools/list') return { body: mcpResult(message.id, { tools }) };
    if (message.method !== 'tools/call') return { status: 404 };
    // Our own client sends it, as the protocol says.
    const { name, arguments: given } = message.params as unknown as ReceivedCall;
    calls.push({ name, arguments: given });
    return { body: mcpResult(message.id, { content: [{ type: 'text', text: 'Done.' }] }) };
  });
  const body = {
    applicationSlug: 'mcp',
    connectionName: 'Tools',
    authenticationId: 0,
    fields: { serverUrl: server.url },
  };
  const connect = () => createConnection(body, account.apiKey);
  const { id, ...connection } = await connect();
  return {
    connectionId: id,
    applicationSlug: String(connection['applicationSlug']),
    calls,
    async setTools(changed) {
      tools = changed;
      // A PUT reads the tools again.
      expectStatus(await put(`/v1/connections/${id}`, body, account), 200);
    },
    connect: async () => (await connect()).id,
    close: () => server.close(),
  };
}
