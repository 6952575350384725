import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { post } from './support/api.ts';
import { createCrmConnection } from './support/connections.ts';
import { installMcpClients, MCP_CLIENTS, python } from './support/mcp-clients.ts';
import type { McpPrograms } from './support/mcp-clients.ts';
import type { TestAccount } from './support/own-accounts.ts';

const CREATE = 'sandbox-crm-create-contact';
const GET = 'sandbox-crm-get-contact';

let programs: McpPrograms;
let account: TestAccount;
let connectionId: number;
/** The address that ends in `/sse`, as displayed to users. */
let url: string;
beforeAll(async () => {
  [programs, account] = await Promise.all([installMcpClients(), createAccount()]);
  ({ id: connectionId } = await createCrmConnection('CRM', account.apiKey));
  const body = { name: 'CRM', connections: [{ connectionId, tools: [CREATE, GET] }] };
  ({ url } = expectStatus(await post('/admin/v1/mcpservers', body, account), 201).body);
});
afterAll(async () => {
  await removeAccount(account);
  await rm(programs.folder, { recursive: true, force: true });
});

describe('MCP clients', () => {
  it.concurrent.for(MCP_CLIENTS)(
    '$name lists and calls over each wire that it speaks, with the key in either header',
    async ({ wires, isPython, visit }, { skip }) => {
      skip(isPython === true && python === undefined, 'there is no Python with venv on PATH');
      const visits = wires.flatMap((wire) =>
        (['x-api-key', 'authorization'] as const).map((name) => ({
          // Both addresses support every transport.
          url: name === 'x-api-key' ? url : url.replace(/sse$/, 'mcp'),
          wire,
          header: [name, name === 'x-api-key' ? account.apiKey : `Bearer ${account.apiKey}`] as const,
          call: { name: CREATE, arguments: { name: `Contact ${randomUUID()}` } },
        })),
      );
      const found = await visit(programs, visits);
      expect(found).toHaveLength(visits.length);
      for (const [index, { names, output }] of found.entries()) {
        const created = visits[index]?.call.arguments;
        expect(names.toSorted()).toEqual([CREATE, GET]);
        expect(output).toMatchObject({ ...created });
        const { id } = output as { id?: string }; // the tool's output, as the CRM sent it
        const path = `/v1/tools/${GET}/execute?connectionId=${connectionId}`;
        const read = expectStatus(await post(path, { fields: { id } }, account), 200).body;
        expect(read).toMatchObject({ isSuccess: true, output: { id, ...created } });
      }
    },
  );
});
