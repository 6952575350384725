import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { del, expectError, expectList, get, post, stack } from './support/api.ts';
import type { Answer } from './support/api.ts';
import { createCrmConnection } from './support/connections.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

const CREATE = 'sandbox-crm-create-contact';
const LIST = 'sandbox-crm-list-contacts';

let account: TestAccount;
let connectionId: number;
beforeAll(async () => {
  account = await createAccount();
  connectionId = (await createCrmConnection('CRM', account.apiKey)).id;
});
afterAll(() => removeAccount(account));

async function toolset(requireApproval: readonly string[], workflowToken?: string): Promise<string> {
  const workflows = workflowToken === undefined ? [] : [{ workflowToken }];
  const body = { name: 'Seen', connections: [{ connectionId }], workflows, policy: { requireApproval } };
  return expectStatus(await post('/v1/toolsets', body, account), 201).body.id;
}

const execute = (toolsetId: string, tool: string, body: object): Promise<Answer> =>
  post(`/v1/tools/${tool}/execute?toolsetId=${toolsetId}`, body, account);

/** The approval that a refused call waits for, from the list. */
async function findApproval(answer: Answer): Promise<Record<string, unknown> | undefined> {
  expectStatus(answer, 409);
  const { items } = expectList(await get('/v1/approvals?status=pending&top=100', account));
  return items.find(({ approvalId }) => approvalId === answer.body.approvalId);
}

row(
  ['completion.toolsets-and-workflows.9', 'completion.toolsets-and-workflows.10'],
  'whoever approves sees what runs: nothing is hidden behind a secret that the caller chose',
  async () => {
    const slug = `flow-${randomUUID()}`;
    const inputSchema = {
      type: 'object',
      properties: { note: { type: 'string', format: 'password' }, path: { type: 'string' }, data: {} },
    };
    const made = await post(
      '/v1/workflows',
      { name: 'Pay', slug, inputSchema, steps: [{ id: 'read', toolSlug: LIST }] },
      account,
    );
    const id = await toolset([slug, CREATE], expectStatus(made, 201).body.workflowToken);
    const shown = await findApproval(
      await execute(id, slug, { fields: { note: '99999', path: 'pay 1 EUR', data: { '***': 'x' } } }),
    );
    expect(shown?.['fields']).toEqual({ note: '***', path: 'pay 1 EUR', data: { '***': 'x' } });
    for (const fields of [
      { note: '99999', path: 'pay 99999 EUR' },
      { note: 'delete-all', data: { 'delete-all': true, '***': 'harmless' } },
    ])
      expectError(await execute(id, slug, { fields }), 400, 'VALIDATION_ERROR', ['fields']);
    const email = `${randomUUID()}@example.com`;
    const refused = await execute(id, CREATE, { fields: { name: stack.sandboxCrm.apiKey, email } });
    expectError(refused, 400, 'VALIDATION_ERROR', ['fields']);
  },
);

row(
  'completion.toolsets-and-workflows.9',
  'a page of approvals is answered, however large their filters',
  async () => {
    const id = await toolset([LIST]);
    const values = Array.from({ length: 5 }, () => 'x'.repeat(49 * 1024));
    const filters = values.map((value) => ({ field: 'name', operator: 'eq', value }));
    for (let offset = 0; offset < 100; offset += 1)
      expectStatus(await execute(id, LIST, { filters, offset }), 409);
    const { items } = expectList(await get('/v1/approvals?top=100', account));
    expect(items).toHaveLength(100);
    expect(items.filter(({ query }) => query.filters !== undefined).length).toBeGreaterThan(0);
    const [first] = items;
    expect((await get('/v1/approvals?top=1', account)).body.items[0]).toMatchObject({
      approvalId: first?.['approvalId'],
      query: { filters },
    });
  },
);

row(
  'completion.toolsets-and-workflows.12',
  'deleting a toolset rejects what waits for approval in it, so that it keeps no place',
  async () => {
    const [gone, kept] = [await toolset([LIST]), await toolset([LIST])];
    const waiting = await execute(gone, LIST, { top: 1 });
    const other = await execute(kept, LIST, { top: 1 });
    expect(await findApproval(waiting)).toMatchObject({ toolsetId: gone });
    expectStatus(await del(`/v1/toolsets/${gone}`, account), 204);
    expect(await findApproval(waiting)).toBeUndefined();
    const { items } = expectList(await get('/v1/approvals?status=rejected', account));
    expect(items).toMatchObject([{ approvalId: waiting.body.approvalId }]);
    expect(items[0]?.decidedBy).toBe(items[0]?.requestedBy);
    expect(await findApproval(other)).toMatchObject({ toolsetId: kept });
  },
);
