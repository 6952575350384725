import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startVendor } from '../faults/support/vendor.ts';
import { createAccount, createUser, expectStatus, removeAccount } from './support/accounts.ts';
import type { TestUser } from './support/accounts.ts';
import { del, expectError, expectList, get, patch, post, stack } from './support/api.ts';
import type { Answer } from './support/api.ts';
import { createConnection, createCrmConnection } from './support/connections.ts';
import { importForEndUser } from './support/end-users.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

const CREATE = 'sandbox-crm-create-contact';
const LIST = 'sandbox-crm-list-contacts';
const WHOAMI = 'sandbox-crm-whoami';
const DAY_MS = 24 * 3_600_000;

let account: TestAccount;
let colleague: TestUser;
let mongo: MongoClient;
let inside: number;
let another: number;
let outside: number;
let theirs: number;
beforeAll(async () => {
  account = await createAccount();
  colleague = await createUser(account, { role: 'developer' });
  mongo = await MongoClient.connect(stack.mongodbUri);
  const create = async (name: string) => (await createCrmConnection(name, account.apiKey)).id;
  [inside, another, outside] = [await create('Inside'), await create('Another'), await create('Outside')];
  theirs = (await importForEndUser('customer-1', account)).id;
});
afterAll(async () => {
  await mongo.close();
  await removeAccount(account);
});

type Members = Readonly<Record<string, unknown>>;
const contact = (more: Members = {}): Members => ({
  name: 'Ada',
  email: `${randomUUID()}@example.com`,
  ...more,
});
const step = (id: string, toolSlug: string, more: Members = {}): Members => ({ id, toolSlug, ...more });

async function workflow(steps: readonly Members[], slug = `flow-${randomUUID()}`) {
  const { body } = expectStatus(await post('/v1/workflows', { name: 'Flow', slug, steps }, account), 201);
  return { slug, workflowToken: String(body.workflowToken) };
}

/** A toolset with two connections and an end user's, unless `more` overrides it. */
async function toolset(more: Members): Promise<string> {
  const connections = [inside, another, theirs].map((connectionId) => ({ connectionId }));
  return expectStatus(await post('/v1/toolsets', { name: 'Held', connections, ...more }, account), 201).body
    .id;
}

interface Call {
  readonly fields?: Members;
  readonly query?: Readonly<Record<string, string>>;
  readonly caller?: { readonly apiKey: string };
}

function execute(toolsetId: string, slug: string, { fields = {}, query = {}, caller = account }: Call = {}) {
  const search = new URLSearchParams({ toolsetId, ...query });
  return post(`/v1/tools/${slug}/execute?${search.toString()}`, { fields }, caller);
}

/** Runs a new workflow with these steps under a policy. */
async function run(steps: readonly Members[], policy: Members, call: Call = {}): Promise<Answer> {
  const { slug, workflowToken } = await workflow(steps);
  const id = await toolset({ workflows: [{ workflowToken }], policy });
  return await execute(id, slug, call);
}

function expectFailure(answer: Answer, ...texts: string[]): void {
  expectStatus(answer, 200);
  expect(answer.body.isSuccess).toBe(false);
  for (const text of texts) expect(answer.body.errorMessage).toContain(text);
}

/** The tools in a run's rows, without its own row. */
async function stepsOf({ body }: Answer): Promise<unknown[]> {
  const { items } = expectList(await get('/v1/executions?top=20', account));
  return items
    .filter((it) => it.historyId > body.historyId)
    .map((it) => it.toolSlug)
    .toReversed();
}

/** The approval that a refused call waits for. */
function awaited({ body, ...answer }: Answer): string {
  const { approvalId, ...envelope } = body;
  expectError({ ...answer, body: envelope }, 409, 'APPROVAL_REQUIRED');
  return approvalId;
}

const approve = async (approvalId: string): Promise<void> => {
  expectStatus(await post(`/v1/approvals/${approvalId}/approve`, undefined, account), 200);
};
const rows = async (): Promise<number> => expectList(await get('/v1/executions?top=1', account)).totalCount;

/** However a step gets its connection, the policy of the run's toolset applies. */
const WAYS = [
  { way: 'of the toolset', members: () => ({}), query: {} },
  { way: 'that the step names', members: () => ({ connectionId: another }), query: {} },
  { way: 'of the end user', members: () => ({}), query: { endUserId: 'customer-1' } },
];

describe.each(WAYS)('The policy of a toolset, for a step of a workflow with a connection $way,', (way) => {
  const { members, query } = way;

  test('[completion.toolsets-and-workflows.4, completion.toolsets-and-workflows.46] readOnly', async () => {
    const steps = [
      step('read', LIST, members()),
      step('write', CREATE, { ...members(), fields: contact() }),
      step('after', LIST, members()),
    ];
    const answer = await run(steps, { readOnly: true }, { query });
    expectFailure(answer, 'Step "write" failed', 'TOOL_NOT_IN_TOOLSET');
    expect(await stepsOf(answer)).toEqual([LIST]);
  });

  test('[completion.toolsets-and-workflows.13] fixedFields', async () => {
    const steps = [step('write', CREATE, { ...members(), fields: contact({ company: 'Evil' }) })];
    const { body } = await run(steps, { fixedFields: { [CREATE]: { company: 'ACME' } } }, { query });
    expect(body).toMatchObject({ isSuccess: true, output: { write: { name: 'Ada', company: 'ACME' } } });
  });

  test('[completion.toolsets-and-workflows.5, completion.toolsets-and-workflows.46] callsPerHour', async () => {
    const each = step('each', WHOAMI, { ...members(), forEach: '=[1..6]' });
    const answer = await run([each], { callsPerHour: 2 }, { query });
    expectFailure(answer, 'Step "each" failed', 'RATE_LIMIT_EXCEEDED');
    // Repeated, because an hour may begin in between.
    expect([2, 4]).toContain((await stepsOf(answer)).length);
  });

  test('[completion.toolsets-and-workflows.6, completion.toolsets-and-workflows.46] requireApproval', async () => {
    const fields = contact();
    const { slug, workflowToken } = await workflow([step('write', CREATE, { ...members(), fields })]);
    const policy = { requireApproval: [CREATE] };
    const id = await toolset({ workflows: [{ workflowToken }], policy });
    const answer = await execute(id, slug, { query });
    expectFailure(answer, 'Step "write" failed', 'APPROVAL_REQUIRED');
    const [pending] = expectList(await get('/v1/approvals?status=pending&top=1', account)).items;
    expect(pending).toMatchObject({ toolsetId: id, toolSlug: CREATE, fields });
    await approve(pending.approvalId);
    // The approval is for a call of the tool, not for a run.
    const again = await execute(id, slug, { query: { ...query, approvalId: pending.approvalId } });
    expectFailure(again, 'Step "write" failed', 'APPROVAL_REQUIRED');
    expect(await stepsOf(answer)).toEqual([slug]);
  });
});

test.each<[string, () => Members, () => Members, string]>([
  [
    'a connection outside the toolset',
    () => ({ connectionId: outside }),
    () => ({}),
    'CONNECTION_NOT_IN_TOOLSET',
  ],
  [
    'an end user’s connection',
    () => ({ connectionId: theirs }),
    () => ({ endUserId: 'customer-2' }),
    'NOT_FOUND',
  ],
  ['no connection of the end user', () => ({}), () => ({ endUserId: 'customer-2' }), 'NO_TOOLSET_CONNECTION'],
  [
    'the account’s own connection',
    () => ({ connectionId: inside }),
    () => ({ endUserId: 'customer-1' }),
    'NOT_FOUND',
  ],
])(
  '[completion.toolsets-and-workflows.46, completion.connections.83] a step that names %s fails for another end user or toolset',
  async (_what, members, query, code) => {
    const answer = await run(
      [step('read', LIST, members())],
      {},
      { query: query() as Record<string, string> },
    );
    expectFailure(answer, 'Step "read" failed', code);
    expect(await stepsOf(answer)).toEqual([]);
  },
);

describe('The policy of a toolset, for a workflow by its own slug,', () => {
  row(
    ['completion.toolsets-and-workflows.13', 'completion.toolsets-and-workflows.14'],
    'fixes its inputs, which then leave its inputSchema',
    async () => {
      const slug = `flow-${randomUUID()}`;
      const inputSchema = {
        type: 'object',
        properties: { name: { type: 'string' }, email: { type: 'string' } },
        required: ['name', 'email'],
      };
      const fields = { name: '=input.name', email: '=input.email' };
      const steps = [step('write', CREATE, { fields })];
      const made = await post('/v1/workflows', { name: 'Flow', slug, inputSchema, steps }, account);
      const { workflowToken } = expectStatus(made, 201).body;
      const policy = { fixedFields: { [slug]: { name: 'Fixed' } } };
      const id = await toolset({ workflows: [{ workflowToken }], tools: [], policy });
      const [listed] = expectList(await get(`/v1/toolsets/${id}/tools`, account)).items;
      expect(listed).toMatchObject({ toolSlug: slug });
      expect(listed.inputSchema.required).toEqual(['email']);
      expect(Object.keys(listed.inputSchema.properties)).toEqual(['email']);
      await patch(`/v1/toolsets/${id}`, { tools: null }, account);
      const { body } = await execute(id, slug, { fields: contact({ name: 'Evil' }) });
      expect(body).toMatchObject({ isSuccess: true, output: { write: { name: 'Fixed' } } });
      expect((await get(`/v1/executions/${body.historyId}`, account)).body.fields.name).toBe('Fixed');
    },
  );

  row(
    [
      'completion.toolsets-and-workflows.6',
      'completion.toolsets-and-workflows.8',
      'completion.toolsets-and-workflows.10',
    ],
    'holds its runs back; an approval is of one run, its inputs, its caller and the workflow as it was',
    async () => {
      const steps = [step('write', CREATE, { fields: { name: '=input.name', email: '=input.email' } })];
      const { slug, workflowToken } = await workflow(steps);
      const policy = { requireApproval: [slug] };
      const id = await toolset({ workflows: [{ workflowToken }], policy });
      const another = await toolset({ workflows: [{ workflowToken }], policy });
      const fields = contact();
      const before = await rows();
      const asked = async (): Promise<Call> => {
        const approvalId = awaited(await execute(id, slug, { fields }));
        await approve(approvalId);
        return { fields, query: { approvalId } };
      };
      const approved = await asked();
      const approvalId = approved.query?.['approvalId'];
      for (const attempt of [
        () => execute(another, slug, approved),
        () => execute(id, slug, { ...approved, fields: { ...fields, name: 'Eve' } }),
        () => execute(id, slug, { ...approved, fields: { ...fields, more: true } }),
        () => execute(id, slug, { ...approved, caller: colleague }),
      ])
        expect(awaited(await attempt())).not.toBe(approvalId);
      expect(awaited(await execute(id, slug, { fields }))).toBe(approvalId);
      expect(await rows()).toBe(before);
      expect((await execute(id, slug, approved)).body).toMatchObject({ isSuccess: true });
      expect(await rows()).toBe(before + 2);
      expect(awaited(await execute(id, slug, approved))).not.toBe(approvalId);

      const ofFormer = await asked();
      const path = `/v1/workflows/${workflowToken}`;
      const worse = [step('write', CREATE, { fields: { name: 'Eve', email: '=input.email' } })];
      expectStatus(await patch(path, { steps: worse }, account), 200);
      expect(awaited(await execute(id, slug, ofFormer))).not.toBe(ofFormer.query?.['approvalId']);

      const ofDeleted = await asked();
      expectStatus(await del(`${path}?force=true`, account), 204);
      const made = await workflow(worse, slug);
      const workflows = [{ workflowToken: made.workflowToken }];
      expectStatus(await patch(`/v1/toolsets/${id}`, { workflows }, account), 200);
      expectStatus(await patch(`/v1/workflows/${made.workflowToken}`, { steps: worse }, account), 200);
      expect(awaited(await execute(id, slug, ofDeleted))).not.toBe(ofDeleted.query?.['approvalId']);
      expect(await rows()).toBe(before + 2);
    },
  );
});

row(
  ['completion.toolsets-and-workflows.11', 'completion.toolsets-and-workflows.9'],
  'An approval ends 24 h after it was requested, approved or not: no call runs on it',
  async () => {
    const id = await toolset({ policy: { requireApproval: [CREATE] } });
    const calls = [contact(), contact()].map((fields) => ({ fields }));
    const ids: string[] = [];
    for (const call of calls) ids.push(awaited(await execute(id, CREATE, call)));
    await approve(String(ids[0]));
    const before = await rows();
    await mongo
      .db('fairlead_tools')
      .collection<{ _id: string }>('approvals')
      .updateMany({ _id: { $in: ids } }, { $set: { createdAt: new Date(Date.now() - DAY_MS) } });
    const { items } = expectList(await get('/v1/approvals?status=expired', account));
    expect(new Set(items.map((it) => it.approvalId))).toEqual(new Set(ids));
    for (const [index, call] of calls.entries()) {
      const approvalId = String(ids[index]);
      expectError(await post(`/v1/approvals/${approvalId}/approve`, undefined, account), 409, 'CONFLICT');
      expect(ids).not.toContain(awaited(await execute(id, CREATE, { ...call, query: { approvalId } })));
    }
    expect(await rows()).toBe(before);
  },
);

row('completion.toolsets-and-workflows.45', 'A run ends as failed after five minutes', async () => {
  const vendor = await startVendor();
  try {
    const { id } = await createConnection(
      {
        applicationSlug: 'key',
        connectionName: 'Slow',
        fields: { address: vendor.url, token: randomUUID() },
      },
      account.apiKey,
    );
    const read = { toolSlug: 'key-crm-whoami', applicationSlug: 'key', connectionId: id };
    const { slug, workflowToken } = await workflow([{ id: 'slow', ...read }, step('after', LIST)]);
    const toolsetId = await toolset({
      connections: [id, inside].map((connectionId) => ({ connectionId })),
      workflows: [{ workflowToken }],
    });
    const atVendor = vendor.hold('GET /api/whoami');
    const answer = execute(toolsetId, slug);
    await atVendor;
    // After five minutes another process ends the run.
    const passed = { startedAt: new Date(Date.now() - 5 * 60_000), 'due.at': new Date(0), 'due.claim': null };
    const runs = mongo.db('fairlead_tools').collection<{ accountId: string }>('workflow_runs');
    await runs.updateMany({ accountId: account.accountId }, { $set: passed });
    const outcome = async () => expectList(await get(`/v1/executions?toolSlug=${slug}`, account)).items[0];
    await expect.poll(outcome, { timeout: 90_000, interval: 100 }).toMatchObject({
      isSuccess: false,
      errorMessage: expect.stringContaining('a run may take 5 minutes') as string,
    });
    vendor.release();
    expectError(await answer, 504, 'TIMEOUT');
    expect(vendor.calls).toHaveLength(1);
    expect(await runs.countDocuments({ accountId: account.accountId })).toBe(0);
  } finally {
    vendor.close();
  }
});
