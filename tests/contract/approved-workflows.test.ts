import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { expectError, get, patch, post, put } from './support/api.ts';
import type { Answer } from './support/api.ts';
import { createConnection, createCrmConnection } from './support/connections.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';
import { startToolServer } from './support/tool-server.ts';

const CREATE = 'sandbox-crm-create-contact';

let account: TestAccount;
let first: number;
let second: number;
beforeAll(async () => {
  account = await createAccount();
  first = (await createCrmConnection('First', account.apiKey)).id;
  second = (await createCrmConnection('Second', account.apiKey)).id;
});
afterAll(() => removeAccount(account));

/** A workflow with one step that needs an approval in its toolset. */
async function approvable(
  step: Record<string, unknown>,
  {
    connectionIds = [first, second],
    policy = {},
    before = [],
  }: { connectionIds?: number[]; policy?: object; before?: object[] } = {},
) {
  const slug = `flow-${randomUUID()}`;
  const made = await post(
    '/v1/workflows',
    { name: 'Flow', slug, steps: [...before, { id: 'one', ...step }] },
    account,
  );
  const { workflowToken } = expectStatus(made, 201).body;
  const connections = connectionIds.map((connectionId) => ({ connectionId }));
  const held = { name: 'Approved', connections, workflows: [{ workflowToken }] };
  const created = await post(
    '/v1/toolsets',
    { ...held, policy: { requireApproval: [slug], ...policy } },
    account,
  );
  const { id } = expectStatus(created, 201).body;
  const run = (approvalId = ''): Promise<Answer> =>
    post(
      `/v1/tools/${slug}/execute?toolsetId=${id}${approvalId && `&approvalId=${approvalId}`}`,
      {},
      account,
    );
  return {
    run,
    changePolicy: async (more: object) =>
      expectStatus(
        await patch(
          `/v1/toolsets/${id}`,
          { policy: { requireApproval: [slug], ...policy, ...more } },
          account,
        ),
        200,
      ),
    /** The approval of the next run, already approved. */
    approved: async (): Promise<string> => {
      const { approvalId } = (await run()).body;
      expectStatus(await post(`/v1/approvals/${approvalId}/approve`, undefined, account), 200);
      return approvalId;
    },
  };
}

function expectAnother({ body, ...answer }: Answer, approvalId: string): void {
  const { approvalId: awaited, ...envelope } = body;
  expectError({ ...answer, body: envelope }, 409, 'APPROVAL_REQUIRED');
  expect(awaited).not.toBe(approvalId);
}

const contact = () => ({ name: 'Ada', email: `${randomUUID()}@example.com` });

row(
  ['completion.toolsets-and-workflows.54', 'completion.toolsets-and-workflows.10'],
  'the approval of a workflow is bound to the connection that its steps use',
  async () => {
    const { run, approved } = await approvable({ toolSlug: CREATE, fields: contact() });
    const approvalId = await approved();
    expectStatus(await put(`/v1/connections/${second}/default`, undefined, account), 200);
    expectAnother(await run(approvalId), approvalId);
    expectStatus(await put(`/v1/connections/${first}/default`, undefined, account), 200);
    expect((await run(approvalId)).body).toMatchObject({ isSuccess: true });
  },
);

row(
  'completion.toolsets-and-workflows.10',
  'the approval of a workflow is bound to what the policy fixes for its steps',
  async () => {
    const fixing = (company: string) => ({ fixedFields: { [CREATE]: { company } } });
    const step = { toolSlug: CREATE, fields: contact() };
    const { run, approved, changePolicy } = await approvable(step, { policy: fixing('Approved') });
    const approvalId = await approved();
    await changePolicy(fixing('Another'));
    expectAnother(await run(approvalId), approvalId);
    await changePolicy(fixing('Approved'));
    const { output } = expectStatus(await run(approvalId), 200).body;
    expect(output.one).toMatchObject({ company: 'Approved' });
  },
);

row(
  ['completion.toolsets-and-workflows.10', 'completion.toolsets-and-workflows.51'],
  'the approval of a workflow is bound to the tools of its steps, whatever a server renames or adds',
  async () => {
    const tool = (name: string) => ({
      name,
      inputSchema: { type: 'object' as const, properties: { id: { type: 'string' } } },
    });
    const server = await startToolServer(account, [tool('DeleteItem')]);
    const { applicationSlug, connectionId } = server;
    const step = { toolSlug: 'delete-item', applicationSlug, fields: { id: '1' } };
    const { run, approved } = await approvable(step, { connectionIds: [connectionId] });
    const approvalId = await approved();
    // The server's new tool gets the slug.
    await server.setTools([tool('DeleteItem'), tool('delete-item')]);
    const { items } = (await get(`/v1/tools?applicationSlug=${applicationSlug}`, account)).body;
    expect(items.find((it: { toolSlug: string }) => it.toolSlug === 'delete-item')).toMatchObject({
      toolName: 'delete-item',
    });
    expectAnother(await run(approvalId), approvalId);
    expect(server.calls).toEqual([]);
    await server.close();
  },
);

row(
  ['completion.toolsets-and-workflows.10', 'completion.toolsets-and-workflows.46'],
  'a step of an approved run does not call a tool that took the place of the approved one while the run went on',
  async () => {
    const tool = (name: string) => ({ name, inputSchema: { type: 'object' as const, properties: {} } });
    const server = await startToolServer(account, [tool('DeleteItem')]);
    const vendor = createServer((_request, response) => {
      // The run's first step waits for this answer, while the server's new tool gets the slug.
      const changed = server.setTools([tool('DeleteItem'), tool('delete-item')]);
      changed.finally(() => response.end('taken')).catch(() => undefined);
    });
    await once(vendor.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
    const fields = { baseUrl: url, token: 'token-of-the-test' };
    const connection = { applicationSlug: 'http', connectionName: 'Slow', authenticationId: 3, fields };
    const { id } = await createConnection(connection, account.apiKey);
    const { applicationSlug, connectionId } = server;
    const step = { toolSlug: 'delete-item', applicationSlug, fields: {} };
    const { run, approved } = await approvable(step, {
      connectionIds: [connectionId, id],
      before: [{ id: 'wait', toolSlug: 'http-send-request', fields: { method: 'POST', url } }],
    });
    const { body } = expectStatus(await run(await approved()), 200);
    expect(body.isSuccess).toBe(false);
    expect(body.errorMessage).toContain(
      'Step "one" failed: FORBIDDEN: The run was approved with another tool',
    );
    expect(server.calls).toEqual([]);
    vendor.close();
    await server.close();
  },
);
