import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount, createUser, expectStatus, removeAccount } from './support/accounts.ts';
import type { TestUser } from './support/accounts.ts';
import { asOther, expectError, expectList, get, patch, post, put, stack } from './support/api.ts';
import { awaited } from './support/approvals.ts';
import { createCrmConnection } from './support/connections.ts';
import { importForEndUser } from './support/end-users.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';
import { HOUR_MS, withinOne } from './support/windows.ts';

const CREATE = 'sandbox-crm-create-contact';

let account: TestAccount;
let developer: TestUser;
let member: TestUser;
let first: number;
let second: number;
let theirs: number;
beforeAll(async () => {
  account = await createAccount();
  first = (await createCrmConnection('First', account.apiKey)).id;
  second = (await createCrmConnection('Second', account.apiKey)).id;
  theirs = (await importForEndUser('customer-1', account)).id;
  developer = await createUser(account, { role: 'developer' });
  member = await createUser(account, { role: 'member' });
  expectStatus(await patch('/admin/v1/account', { isRbacEnabled: true }, account), 200);
});
afterAll(() => removeAccount(account));

async function toolset(policy: object = {}): Promise<string> {
  const connections = [first, second, theirs].map((connectionId) => ({ connectionId }));
  const body = { name: 'Approved', connections, policy: { requireApproval: [CREATE], ...policy } };
  return expectStatus(await post('/v1/toolsets', body, account), 201).body.id;
}

interface ToolCall {
  readonly query?: Readonly<Record<string, string | number>>;
  readonly fields?: Record<string, unknown>;
  readonly caller?: { readonly apiKey: string };
  readonly tool?: string;
}

function execute(toolsetId: string, { query = {}, fields, caller = account, tool = CREATE }: ToolCall = {}) {
  const search = new URLSearchParams({ toolsetId });
  for (const [name, value] of Object.entries(query)) search.set(name, String(value));
  return post(`/v1/tools/${tool}/execute?${search.toString()}`, { ...(fields && { fields }) }, caller);
}

/** The body of a PUT that changes nothing in a connection by API key. */
const credentialsOf = (connectionName: string) => ({
  connectionName,
  fields: { apiToken: stack.sandboxCrm.apiKey },
});
const contact = () => ({ name: 'Ada', email: `${randomUUID()}@example.com` });
const decide = (approvalId: string, decision: 'approve' | 'reject', caller = account as { apiKey: string }) =>
  post(`/v1/approvals/${approvalId}/${decision}`, undefined, caller);
const rows = async (): Promise<number> => expectList(await get('/v1/executions?top=1', account)).totalCount;
const listed = async (query = ''): Promise<any[]> =>
  expectList(await get(`/v1/approvals${query}`, account)).items;

describe('A call that has to be approved', () => {
  row(
    [
      'completion.toolsets-and-workflows.6',
      'completion.toolsets-and-workflows.8',
      'completion.toolsets-and-workflows.9',
    ],
    'is held back, and runs once after it was approved',
    async () => {
      const id = await toolset();
      const fields = contact();
      const before = await rows();
      const approvalId = awaited(await execute(id, { fields }));
      expect(awaited(await execute(id, { fields }))).toBe(approvalId);
      expect(awaited(await execute(id, { fields, query: { approvalId } }))).toBe(approvalId);
      expect(await rows()).toBe(before);
      const [pending] = await listed('?status=pending');
      const { createdAt, expiresAt, updatedAt: _updated, requestedBy: _caller, ...approval } = pending;
      expect(approval).toEqual({
        approvalId,
        status: 'pending',
        toolsetId: id,
        applicationSlug: 'sandbox-crm',
        toolSlug: CREATE,
        connectionId: first,
        endUserId: null,
        fields,
        query: {},
        files: [],
        decidedBy: null,
      });
      expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(24 * 3_600_000);
      const approved = await decide(approvalId, 'approve');
      expect([approved.status, approved.body.status]).toEqual([200, 'approved']);
      // An approval does not permit any other call.
      expect(awaited(await execute(id, { fields }))).toBe(approvalId);
      const ran = await execute(id, { fields, query: { approvalId } });
      expect(ran.body).toMatchObject({ isSuccess: true, output: fields });
      expect(await rows()).toBe(before + 1);
      expect(await listed('?status=used')).toMatchObject([{ approvalId }]);
      // A replay waits for a new approval.
      expect(awaited(await execute(id, { fields, query: { approvalId } }))).not.toBe(approvalId);
      expect(await rows()).toBe(before + 1);
      expectError(await decide(approvalId, 'approve'), 409, 'CONFLICT');
      expect((await execute(id, { tool: 'sandbox-crm-whoami' })).body.isSuccess).toBe(true);
    },
  );

  row(
    'completion.toolsets-and-workflows.10',
    'is bound to toolset, tool, connection, fields and caller',
    async () => {
      const policy = { requireApproval: [CREATE, 'sandbox-crm-update-contact'] };
      const [id, another] = [await toolset(policy), await toolset(policy)];
      const fields = contact();
      const approvalId = awaited(await execute(id, { fields }));
      await decide(approvalId, 'approve');
      const query = { approvalId };
      const before = await rows();
      for (const attempt of [
        () => execute(another, { fields, query }),
        () => execute(id, { fields: { ...fields, id: 'x' }, query, tool: 'sandbox-crm-update-contact' }),
        () => execute(id, { fields, query: { ...query, connectionId: second } }),
        () => execute(id, { fields, query: { ...query, endUserId: 'customer-1' } }),
        () => execute(id, { fields: { ...fields, name: 'Eve' }, query }),
        () => execute(id, { fields: { ...fields, company: 'Evil' }, query }),
        () => execute(id, { fields, query, caller: developer }),
      ])
        expect(awaited(await attempt())).not.toBe(approvalId);
      expect(await rows()).toBe(before);
      const several = await Promise.all(Array.from({ length: 5 }, () => execute(id, { fields, query })));
      expect(several.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(await rows()).toBe(before + 1);
    },
  );

  row(
    'completion.toolsets-and-workflows.54',
    'is bound to the credential as it was entered: once it was replaced, the call needs another approval',
    async () => {
      const id = await toolset();
      const entered = (await createCrmConnection('Replaced', account.apiKey)).id;
      const replaced = () => put(`/v1/connections/${entered}`, credentialsOf('Replaced'), account);
      const renamed = { connectionName: 'Renamed', description: null, metadata: {} };
      await patch(`/v1/toolsets/${id}`, { connections: [{ connectionId: entered }] }, account);
      const fields = contact();
      const approvalId = awaited(await execute(id, { fields }));
      await decide(approvalId, 'approve');
      expectStatus(await replaced(), 200);
      expect(awaited(await execute(id, { fields, query: { approvalId } }))).not.toBe(approvalId);

      const later = awaited(await execute(id, { fields }));
      await decide(later, 'approve');
      expectStatus(await put(`/v1/connections/${entered}`, renamed, account), 200);
      const ran = await execute(id, { fields, query: { approvalId: later } });
      expect(ran.body).toMatchObject({ isSuccess: true, output: fields });
    },
  );

  row(
    'completion.toolsets-and-workflows.54',
    'of a workflow is bound to the credential of every connection that its toolset has',
    async () => {
      const entered = (await createCrmConnection('Of a workflow', account.apiKey)).id;
      const slug = `flow-${randomUUID()}`;
      const steps = [{ id: 'read', toolSlug: 'sandbox-crm-whoami', connectionId: first }];
      const made = await post('/v1/workflows', { name: 'Flow', slug, steps }, account);
      const { workflowToken } = expectStatus(made, 201).body;
      const id = await toolset();
      const connections = [first, entered].map((connectionId) => ({ connectionId }));
      const policy = { requireApproval: [slug] };
      const change = { connections, workflows: [{ workflowToken }], policy };
      expectStatus(await patch(`/v1/toolsets/${id}`, change, account), 200);
      const approvalId = awaited(await execute(id, { tool: slug }));
      await decide(approvalId, 'approve');
      expectStatus(await put(`/v1/connections/${entered}`, credentialsOf('Of a workflow'), account), 200);
      expect(awaited(await execute(id, { tool: slug, query: { approvalId } }))).not.toBe(approvalId);
    },
  );

  row('completion.toolsets-and-workflows.12', 'is 403 once its approval was rejected', async () => {
    const id = await toolset();
    const fields = contact();
    const approvalId = awaited(await execute(id, { fields }));
    expect((await decide(approvalId, 'reject')).body).toMatchObject({ approvalId, status: 'rejected' });
    expectError(await execute(id, { fields, query: { approvalId } }), 403, 'FORBIDDEN');
    expectError(await decide(approvalId, 'approve'), 409, 'CONFLICT');
    expect(await listed('?status=rejected')).toMatchObject([{ approvalId }]);
    expect(awaited(await execute(id, { fields }))).not.toBe(approvalId);
  });

  row(
    ['completion.toolsets-and-workflows.7', 'errors.26'],
    'is approved by whoever has tools.write in its account',
    async () => {
      const id = await toolset();
      const approvalId = awaited(await execute(id, { fields: contact() }));
      for (const decision of ['approve', 'reject'] as const) {
        expectError(await decide(approvalId, decision, member), 403, 'FORBIDDEN');
        expectError(await decide(approvalId, decision, asOther), 404, 'NOT_FOUND');
        expectError(await decide(randomUUID(), decision), 404, 'NOT_FOUND');
        expectError(await decide('nonsense', decision), 404, 'NOT_FOUND');
      }
      expect((await get('/v1/approvals?top=1', member)).status).toBe(200);
      expect((await decide(approvalId, 'approve', developer)).body.decidedBy).toBe(developer.userId);
      expect((await decide(approvalId, 'approve')).status).toBe(200);
      expectError(await execute(id, { query: { approvalId: randomUUID() } }), 404, 'NOT_FOUND');
      expectError(await execute(id, { query: { approvalId: 'x' } }), 400, 'VALIDATION_ERROR', ['approvalId']);
      expectError(await get('/v1/approvals?status=done', account), 400, 'INVALID_ENUM_VALUE');
    },
  );

  row(
    'completion.toolsets-and-workflows.56',
    'is neither approved nor rejected by who made it, if the policy says so at the request or at the decision',
    async () => {
      const other = { requireApproval: [CREATE], approvedByOther: true };
      const asked = await toolset({ approvedByOther: true });
      const changed = await toolset();
      expect((await get(`/v1/toolsets/${asked}`, account)).body.policy.approvedByOther).toBe(true);
      expect((await get(`/v1/toolsets/${changed}`, account)).body.policy.approvedByOther).toBe(false);
      const approved = { fields: contact() };
      const own = awaited(await execute(changed, approved));
      expectStatus(await decide(own, 'approve'), 200);
      for (const id of [asked, changed]) {
        const fields = contact();
        const approvalId = awaited(await execute(id, { fields }));
        const policy = id === asked ? { requireApproval: [CREATE] } : other;
        expectStatus(await patch(`/v1/toolsets/${id}`, { policy }, account), 200);
        for (const decision of ['approve', 'reject'] as const)
          expectError(await decide(approvalId, decision), 403, 'FORBIDDEN');
        expect(awaited(await execute(id, { fields, query: { approvalId } }))).toBe(approvalId);
        expectStatus(await decide(approvalId, 'approve', developer), 200);
        const ran = await execute(id, { fields, query: { approvalId } });
        expect(ran.body).toMatchObject({ isSuccess: true, output: fields });
      }
      // The caller's own earlier approval becomes invalid.
      const query = { approvalId: own };
      expect(awaited(await execute(changed, { ...approved, query }))).toBe(own);
      expect((await listed('?status=pending')).find((it) => it.approvalId === own)).toMatchObject({
        decidedBy: null,
      });
      expectError(await decide(own, 'approve'), 403, 'FORBIDDEN');
      expectStatus(await decide(own, 'approve', developer), 200);
      expect((await execute(changed, { ...approved, query })).body.isSuccess).toBe(true);
    },
  );

  row(
    ['completion.toolsets-and-workflows.5', 'completion.toolsets-and-workflows.13'],
    'shows what will run, and keeps its approval if it is refused for the calls of the hour',
    async () => {
      await withinOne(HOUR_MS, async () => {
        const fixedFields = { [CREATE]: { company: 'ACME' } };
        const id = await toolset({ fixedFields, callsPerHour: 1 });
        const fields = { ...contact(), company: 'Evil' };
        const approvalId = awaited(await execute(id, { fields }));
        expect((await listed('?top=1'))[0].fields).toEqual({ ...fields, company: 'ACME' });
        await decide(approvalId, 'approve');
        const dry = await execute(id, { fields, query: { dryRun: 'true' } });
        expect(dry.body).toMatchObject({ isSuccess: true, historyId: null });
        // The call that waited for approval and the dry run used nothing.
        expect((await execute(id, { tool: 'sandbox-crm-whoami' })).body.isSuccess).toBe(true);
        const full = await execute(id, { fields, query: { approvalId } });
        expectError(full, 429, 'RATE_LIMIT_EXCEEDED');
        await patch(`/v1/toolsets/${id}`, { policy: { requireApproval: [CREATE], fixedFields } }, account);
        const ran = await execute(id, { fields, query: { approvalId } });
        expect(ran.body).toMatchObject({ isSuccess: true, output: { company: 'ACME' } });
      });
    },
  );

  test.each(['toolset', 'explicit', 'endUser'] as const)(
    '[completion.toolsets-and-workflows.6, completion.toolsets-and-workflows.8] needs it by %s, too',
    async (way) => {
      const id = await toolset();
      const ways = { toolset: {}, explicit: { connectionId: second }, endUser: { endUserId: 'customer-1' } };
      const fields = contact();
      const approvalId = awaited(await execute(id, { fields, query: ways[way] }));
      const { body } = await decide(approvalId, 'approve');
      expect(body.endUserId).toBe(way === 'endUser' ? 'customer-1' : null);
      const ran = await execute(id, { fields, query: { ...ways[way], approvalId } });
      expect(ran.body).toMatchObject({ isSuccess: true, output: fields });
    },
  );
});
