import { Fairlead } from '../fairlead.ts';
import type { ToolDefinition } from '../gen/types.ts';
import { startApiServer } from './api-server.ts';
import type { ApiServer, ReceivedRequest, Reply } from './api-server.ts';

/** The API key that the tests' clients use. */
export const API_KEY = 'fairlead_secret_of_the_test';

/** An API whose responses to executions the test determines. */
export interface ToolApi extends ApiServer {
  readonly client: Fairlead;
  /** The executions that arrived, each with its `fields` and query. */
  readonly executions: readonly {
    readonly toolSlug: string;
    readonly query: object;
    readonly fields: unknown;
  }[];
}

/** The tool that the API has by default. */
const CREATE_CONTACT: ToolDefinition = {
  toolSlug: 'crm-create-contact',
  applicationSlug: 'crm',
  definition: {
    name: 'crm-create-contact',
    description: 'Creates a contact.',
    inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  },
};

/** Starts one. Lists have one page; `execute` answers the executions, which are counted from 0. */
export async function startToolApi(
  execute: (request: ReceivedRequest, index: number) => Reply | Promise<Reply>,
  tools: readonly ToolDefinition[] = [CREATE_CONTACT],
): Promise<ToolApi> {
  const executions: ToolApi['executions'][number][] = [];
  const server = await startApiServer((request) => {
    const { pathname, searchParams } = new URL(request.path, 'http://api');
    const toolSlug = /^\/v1\/tools\/([^/]+)\/execute$/.exec(pathname)?.[1];
    if (toolSlug === undefined) {
      return { status: 200, body: { items: tools, totalCount: tools.length, offset: 0, top: 100 } };
    }
    // The body of an execution is a JSON object.
    const { fields } = JSON.parse(request.body) as { fields: unknown };
    const index = executions.push({ toolSlug, query: Object.fromEntries(searchParams), fields }) - 1;
    return execute(request, index);
  });
  const client = new Fairlead({ baseUrl: server.url, apiKey: API_KEY, maxRetries: 0 });
  return { ...server, client, executions };
}

/** The response to an execution that succeeded. */
export function succeeded(output: object): Reply {
  return { status: 200, body: { isSuccess: true, output, historyId: 7, executionInfo: {} } };
}
