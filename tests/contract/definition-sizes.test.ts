import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { expectError, get, patch, post } from './support/api.ts';
import { createCrmConnection } from './support/connections.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

const KIB = 1024;
const CREATE = 'sandbox-crm-create-contact';

let account: TestAccount;
let connectionId: number;
beforeAll(async () => {
  account = await createAccount();
  connectionId = (await createCrmConnection('CRM', account.apiKey)).id;
});
afterAll(() => removeAccount(account));

row('completion.toolsets-and-workflows.60', 'a policy has at most 64 KiB', async () => {
  const policy = (bytes: number, more: Record<string, unknown> = {}) => ({
    fixedFields: { [CREATE]: { name: 'x'.repeat(bytes) } },
    ...more,
  });
  const made = { name: 'Large', connections: [{ connectionId }], policy: policy(63 * KIB) };
  const { id } = expectStatus(await post('/v1/toolsets', made, account), 201).body;
  const path = `/v1/toolsets/${id}`;
  const { updatedAt } = (await get(path, account)).body;
  // Each member is within its limit, but together they exceed the total.
  const requireApproval = Array.from({ length: 10 }, () => CREATE.padEnd(200, 'x'));
  for (const [tooLarge, field] of [
    [policy(65 * KIB), 'policy.fixedFields'],
    [policy(63 * KIB, { requireApproval }), 'policy'],
  ] as const) {
    const sent = { ...made, policy: tooLarge };
    expectError(await post('/v1/toolsets', sent, account), 400, 'VALIDATION_ERROR', [field]);
    expectError(await patch(path, { policy: tooLarge }, account), 400, 'VALIDATION_ERROR', [field]);
  }
  expect((await get(path, account)).body.updatedAt).toBe(updatedAt);
});

row('completion.toolsets-and-workflows.60', 'a workflow has at most 256 KiB', async () => {
  const slug = `large-${randomUUID()}`;
  const stepOf = (bytes: number) => ({ id: 'one', toolSlug: CREATE, fields: { name: 'x'.repeat(bytes) } });
  const workflow = (bytes: number) => ({ name: 'Large', slug, steps: [stepOf(bytes)] });
  const refused = await post('/v1/workflows', workflow(257 * KIB), account);
  expectError(refused, 400, 'VALIDATION_ERROR', ['steps']);
  const inputSchema = { type: 'object', title: 'x'.repeat(60 * KIB) };
  const both = await post('/v1/workflows', { ...workflow(200 * KIB), inputSchema }, account);
  expectError(both, 400, 'VALIDATION_ERROR', ['steps']);
  const { workflowToken } = expectStatus(await post('/v1/workflows', workflow(200 * KIB), account), 201).body;
  const path = `/v1/workflows/${workflowToken}`;
  const { updatedAt } = (await get(path, account)).body;
  for (const change of [{ inputSchema }, { output: 'x'.repeat(60 * KIB) }, { steps: [stepOf(257 * KIB)] }])
    expectError(await patch(path, change, account), 400, 'VALIDATION_ERROR', ['steps']);
  expect((await get(path, account)).body.updatedAt).toBe(updatedAt);
  // Smaller steps in the same request make room.
  expectStatus(await patch(path, { inputSchema, steps: [stepOf(100 * KIB)] }, account), 200);
});
