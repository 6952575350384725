import type { TestResponse } from '@fairlead/connector-runtime/testing/http-server';
import { mcpResult, startTestMcpServer } from '@fairlead/connector-runtime/testing/mcp-server';
import type { McpMessage } from '@fairlead/connector-runtime/testing/mcp-server';
import type { JsonObject } from '@fairlead/connector-model/json';
import { expectStatus } from './accounts.ts';
import { put } from './api.ts';
import { createConnection } from './connections.ts';
import type { TestAccount } from './own-accounts.ts';

/** A call of a tool, as received by its server. */
interface ReceivedCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** An MCP server whose tools a test changes, and an account's connection to it. */
export interface ToolServer {
  readonly connectionId: number;
  readonly applicationSlug: string;
  /** Calls that reached the server. */
  readonly calls: readonly ReceivedCall[];
  /** Replaces the server's tools and makes Fairlead read them. */
  setTools(tools: readonly JsonObject[]): Promise<void>;
  /** Holds handshakes from now on; resolves once one has begun. */
  holdHandshakes(): Promise<void>;
  /** Completes held handshakes, and holds no more. */
  release(): void;
  /** Creates another connection to the same server; returns its id. */
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
  let held: { readonly began: () => void; readonly released: Promise<void> } | undefined;
  let release = (): void => undefined;
  const shakes = async (): Promise<void> => {
    held?.began();
    await held?.released;
  };
  const respond = (message: McpMessage): TestResponse => {
    if (message.method === 'tools/list') return { body: mcpResult(message.id, { tools }) };
    if (message.method !== 'tools/call') return { status: 404 };
    // Our own client sends it, as the protocol requires.
    const { name, arguments: given } = message.params as unknown as ReceivedCall;
    calls.push({ name, arguments: given });
    return { body: mcpResult(message.id, { content: [{ type: 'text', text: 'Done.' }] }) };
  };
  const server = await startTestMcpServer(respond, [], shakes);
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
      // A PUT re-reads the tools.
      expectStatus(await put(`/v1/connections/${id}`, body, account), 200);
    },
    holdHandshakes() {
      const [began, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      held = { began: began.resolve, released: released.promise };
      release = () => {
        held = undefined;
        released.resolve();
      };
      return began.promise;
    },
    release: () => release(),
    connect: async () => (await connect()).id,
    close: () => server.close(),
  };
}
