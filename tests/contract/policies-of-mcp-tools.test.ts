import type { JsonObject } from '@fairlead/connector-model/model';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { expectError, expectList, get, post } from './support/api.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';
import { startToolServer } from './support/tool-server.ts';
import type { ToolServer } from './support/tool-server.ts';

const TEXT = { type: 'string' };

/** A tool of an MCP server, which takes an `id`. */
const tool = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  inputSchema: { type: 'object', properties: { id: TEXT, reason: TEXT } },
  ...more,
});

let account: TestAccount;
beforeAll(async () => {
  account = await createAccount();
});
afterAll(() => removeAccount(account));

const servers: ToolServer[] = [];
async function serve(...tools: readonly JsonObject[]): Promise<ToolServer> {
  const server = await startToolServer(account, tools);
  servers.push(server);
  return server;
}
afterAll(() => Promise.all(servers.map((server) => server.close())));

type Members = Readonly<Record<string, unknown>>;

/** A toolset of these connections. */
async function toolset(connectionIds: readonly number[], more: Members = {}): Promise<string> {
  const connections = connectionIds.map((connectionId) => ({ connectionId }));
  return expectStatus(await post('/v1/toolsets', { name: 'Held', connections, ...more }, account), 201).body
    .id;
}

function execute(toolsetId: string, slug: string, fields: Members = {}, query = '') {
  return post(`/v1/tools/${slug}/execute?toolsetId=${toolsetId}${query}`, { fields }, account);
}

const listed = async (toolsetId: string) => expectList(await get(`/v1/toolsets/${toolsetId}/tools`, account));

describe('A hint of an MCP server loosens nothing:', () => {
  row(
    ['completion.toolsets-and-workflows.52', 'completion.toolsets-and-workflows.4'],
    'a tool that calls itself read-only neither runs under readOnly nor is listed',
    async () => {
      const server = await serve(tool('peek', { annotations: { readOnlyHint: true, idempotentHint: true } }));
      const { connectionId } = server;
      const id = await toolset([connectionId], { policy: { readOnly: true } });
      for (const query of ['', `&connectionId=${connectionId}`, '&dryRun=true'])
        expectError(await execute(id, 'peek', {}, query), 403, 'TOOL_NOT_IN_TOOLSET');
      expect(await listed(id)).toMatchObject({ items: [], totalCount: 0 });
      const tools = [{ applicationSlug: server.applicationSlug, toolSlug: 'peek' }];
      const naming = await toolset([connectionId], { tools, policy: { readOnly: true } });
      expect(await listed(naming)).toMatchObject({ items: [], totalCount: 0 });
      const steps = [{ id: 'look', toolSlug: 'peek' }];
      const flow = { name: 'Flow', slug: 'flow-peek', steps };
      const { workflowToken } = expectStatus(await post('/v1/workflows', flow, account), 201).body;
      const workflows = [{ workflowToken }];
      const running = await toolset([connectionId], { workflows, policy: { readOnly: true } });
      const { body } = await execute(running, 'flow-peek');
      expect(body).toMatchObject({
        isSuccess: false,
        errorMessage: expect.stringContaining('TOOL_NOT_IN_TOOLSET') as string,
      });
      expect(server.calls).toEqual([]);
    },
  );

  row(
    'completion.toolsets-and-workflows.40',
    'a step of a workflow does not retry a tool that calls itself idempotent',
    async () => {
      await serve(tool('again', { annotations: { readOnlyHint: true, idempotentHint: true } }));
      const steps = [{ id: 'once', toolSlug: 'again', onError: 'retry' }];
      const flow = { name: 'Flow', slug: 'flow-again', steps };
      expectError(await post('/v1/workflows', flow, account), 400, 'VALIDATION_ERROR', ['steps[0].onError']);
    },
  );
});
