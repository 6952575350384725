import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { del, expectError, get, post } from './support/api.ts';
import { createCrmConnection } from './support/connections.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

let account: TestAccount;
beforeAll(async () => {
  account = await createAccount();
});
afterAll(() => removeAccount(account));

/** Creates an MCP server; returns a function that reads its record. */
async function serve(members: Record<string, unknown>): Promise<() => Promise<Record<string, unknown>>> {
  const created = await post('/admin/v1/mcpservers', members, account);
  const { mcpServerToken } = expectStatus(created, 201).body;
  return async () => expectStatus(await get(`/v1/mcpservers/${mcpServerToken}`, account), 200).body;
}

describe('A record that an MCP server uses', () => {
  row(
    ['completion.connections.44', 'completion.mcp-servers.9'],
    'is a connection: it is deleted by force only, and goes from the server',
    async () => {
      const { id } = await createCrmConnection('CRM', account.apiKey);
      const kept = await createCrmConnection('CRM, too', account.apiKey);
      const connections = [{ connectionId: id }, { connectionId: kept.id }];
      const read = await serve({ name: 'Sales', connections });
      const refused = await del(`/v1/connections/${id}`, account);
      expectError(refused, 409, 'CONNECTION_IN_USE');
      expect(refused.body.candidates).toEqual(['mcpServer:Sales']);
      expect((await del(`/v1/connections/${id}?force=true`, account)).status).toBe(204);
      const left = [
        { connectionId: kept.id, applicationSlug: 'sandbox-crm', tools: null, identity: 'shared' },
      ];
      expect((await read())['connections']).toEqual(left);
    },
  );

  row(
    ['completion.toolsets-and-workflows.49', 'completion.toolsets-and-workflows.50'],
    'is a workflow: it is deleted by force only, and goes from the server',
    async () => {
      const flow = {
        name: 'Flow',
        slug: `flow-${randomUUID()}`,
        steps: [{ id: 'list', toolSlug: 'sandbox-crm-list-contacts' }],
      };
      const { workflowToken } = expectStatus(await post('/v1/workflows', flow, account), 201).body;
      const workflows = [{ workflowToken }];
      const read = await serve({ name: 'Support', workflows });
      const toolset = await post('/v1/toolsets', { name: 'Narrow', workflows }, account);
      const { id } = expectStatus(toolset, 201).body;
      const refused = await del(`/v1/workflows/${workflowToken}`, account);
      expectError(refused, 409, 'CONFLICT');
      expect(refused.body.candidates).toEqual([`toolset:${id}`, 'mcpServer:Support']);
      expect(expectStatus(await get(`/v1/workflows/${workflowToken}`, account), 200).body.name).toBe('Flow');
      expect((await del(`/v1/workflows/${workflowToken}?force=true`, account)).status).toBe(204);
      expect((await read())['workflows']).toEqual([]);
      expect(expectStatus(await get(`/v1/toolsets/${id}`, account), 200).body.workflows).toEqual([]);
    },
  );
});
