import { startTestServer } from '@fairlead/connector-runtime/testing/http-server';
import { expectStatus } from '../../contract/support/accounts.ts';
import { post, stack } from '../../contract/support/api.ts';
import type { CallOptions } from '../../contract/support/api.ts';
import { createConnection } from '../../contract/support/connections.ts';

/** An MCP server of an account, with one tool of an honest API. */
export interface McpTarget {
  readonly url: string;
  readonly tool: string;
  /** A message that calls the tool. */
  readonly call: object;
  /** Creates another server with the same tool; returns its address. */
  openAnother(): Promise<string>;
  /** Creates a server for that connection; returns its address. */
  serve(entry: { readonly connectionId: number; readonly tools: readonly string[] | null }): Promise<string>;
  close(): Promise<void>;
}

const TOOL = 'http-send-request';

/** Creates the server for the account of that key. */
export async function openMcpTarget(by: CallOptions & { readonly apiKey: string }): Promise<McpTarget> {
  const api = await startTestServer(() => ({ body: { isHonest: true } }));
  const { id } = await createConnection(
    {
      applicationSlug: 'http',
      connectionName: 'Honest API of a server',
      authenticationId: 1,
      fields: { baseUrl: api.url, apiKey: 'k' },
    },
    by.apiKey,
  );
  const serve: McpTarget['serve'] = async (entry) => {
    const made = await post('/admin/v1/mcpservers', { name: 'Target', connections: [entry] }, by);
    return `${stack.mcpUrl}/${expectStatus(made, 201).body.mcpServerToken}/mcp`;
  };
  const openAnother = (): Promise<string> => serve({ connectionId: id, tools: [TOOL] });
  return {
    url: await openAnother(),
    tool: TOOL,
    call: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: TOOL, arguments: { url: '/' } },
    },
    openAnother,
    serve,
    close: () => api.close(),
  };
}
