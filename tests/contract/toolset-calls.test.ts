import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { del, expectError, expectList, get, patch, post, stack } from './support/api.ts';
import type { Answer } from './support/api.ts';
import { createConnection, createCrmConnection, setDefault } from './support/connections.ts';
import { importForEndUser } from './support/end-users.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

const applicationSlug = 'sandbox-crm';
const tool = (name: string) => ({ applicationSlug, toolSlug: `sandbox-crm-${name}` });

/** An account with three own connections to the CRM, of which the last is the default, and one of an end user. */
let account: TestAccount;
let first: number;
let second: number;
let byDefault: number;
let theirs: number;
beforeAll(async () => {
  account = await createAccount();
  const create = async (name: string) => (await createCrmConnection(name, account.apiKey)).id;
  [first, second, byDefault] = [await create('First'), await create('Second'), await create('Default')];
  await setDefault(byDefault, account.apiKey);
  theirs = (await importForEndUser('customer-1', account)).id;
});
afterAll(() => removeAccount(account));

interface Members {
  readonly tools?: unknown;
  readonly policy?: unknown;
}

async function toolset(connectionIds: readonly number[], members: Members = {}): Promise<string> {
  const connections = connectionIds.map((connectionId) => ({ connectionId }));
  return expectStatus(await post('/v1/toolsets', { name: 'Scope', connections, ...members }, account), 201)
    .body.id;
}

const execute = (
  toolsetId: string,
  name: string,
  query: Readonly<Record<string, string | number>> = {},
  fields: Record<string, unknown> = {},
): Promise<Answer> => {
  const search = new URLSearchParams({ toolsetId });
  for (const [key, value] of Object.entries(query)) search.set(key, String(value));
  return post(`/v1/tools/sandbox-crm-${name}/execute?${search.toString()}`, { fields }, account);
};

/** Number of the account's executions. */
const rows = async (): Promise<number> => expectList(await get('/v1/executions?top=1', account)).totalCount;

function expectRun(answer: Answer, connectionId: number, connectionResolution = 'toolset'): void {
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toMatchObject({
    isSuccess: true,
    executionInfo: { connectionId, connectionResolution },
  });
}

describe('A call with a toolset', () => {
  row(
    [
      'what-the-service-does.6',
      'completion.applications-and-tools.40',
      'completion.applications-and-tools.41',
      'completion.applications-and-tools.42',
      'completion.applications-and-tools.43',
      'completion.applications-and-tools.45',
      'tools.4',
      'errors.23',
      'errors.28',
    ],
    'takes an explicit connection of the toolset, else its default one, else its lowest id, else none',
    async () => {
      const both = await toolset([second, first]);
      expectRun(await execute(both, 'whoami'), first);
      expectRun(await execute(both, 'whoami', { connectionId: second }), second, 'explicit');
      expectRun(await execute(both.toUpperCase(), 'whoami'), first);
      expectRun(await execute(await toolset([first, byDefault]), 'whoami'), byDefault);
      const before = await rows();
      expectError(
        await execute(both, 'whoami', { connectionId: byDefault }),
        403,
        'CONNECTION_NOT_IN_TOOLSET',
      );
      expectError(await execute(both, 'whoami', { connectionId: 2_000_000_000 }), 404, 'NOT_FOUND');
      const empty = await toolset([]);
      expectError(await execute(empty, 'whoami'), 409, 'NO_TOOLSET_CONNECTION');
      expectError(await execute(empty, 'whoami', { connectionId: first }), 403, 'CONNECTION_NOT_IN_TOOLSET');
      expectError(await execute(randomUUID(), 'whoami'), 404, 'NOT_FOUND');
      expect(await rows()).toBe(before);
    },
  );

  row(
    ['errors.22', 'completion.toolsets-and-workflows.23', 'completion.applications-and-tools.38'],
    'runs no tool that the toolset does not permit, whatever else is wrong',
    async () => {
      const id = await toolset([first], { tools: [tool('whoami')] });
      expectRun(await execute(id, 'whoami'), first);
      const before = await rows();
      expectError(await execute(id, 'list-contacts'), 403, 'TOOL_NOT_IN_TOOLSET');
      expectError(
        await execute(id, 'create-contact', { connectionId: 2_000_000_000 }),
        403,
        'TOOL_NOT_IN_TOOLSET',
      );
      expectError(await execute(id, 'no-such-tool'), 404, 'NOT_FOUND');
      expectError(await execute(await toolset([first], { tools: [] }), 'whoami'), 403, 'TOOL_NOT_IN_TOOLSET');
      expect(await rows()).toBe(before);
      await patch(`/v1/toolsets/${id}`, { tools: null }, account);
      expectRun(await execute(id, 'list-contacts'), first);
    },
  );

  row(
    ['completion.applications-and-tools.22', 'completion.toolsets-and-workflows.25'],
    'resolves an ambiguous slug by the toolset’s connections; a default outside it plays no part',
    async () => {
      const mcp = async (name: string) =>
        createConnection(
          {
            applicationSlug: 'mcp',
            connectionName: name,
            authenticationId: 0,
            fields: { serverUrl: stack.samples.mcpServerUrl },
          },
          account.apiKey,
        );
      const one = await mcp('One');
      const two = await mcp('Two');
      const path = `/v1/tools?applicationSlug=${one['applicationSlug']}`;
      const slugs = expectList(await get(path, account)).items.map((it) => it.toolSlug);
      const slug = slugs.find((it) => it.includes('echo')) ?? '';
      const call = (toolsetId: string) =>
        post(`/v1/tools/${slug}/execute?toolsetId=${toolsetId}`, { fields: { message: 'Hi' } }, account);
      expectRun(await call(await toolset([two.id])), two.id);
      expectRun(await call(await toolset([first, one.id])), one.id);
      const ambiguous = await call(await toolset([one.id, two.id]));
      expectError(ambiguous, 409, 'AMBIGUOUS_TOOL');
      expect(new Set(ambiguous.body.candidates)).toEqual(
        new Set([one['applicationSlug'], two['applicationSlug']]),
      );
      for (const { id } of [one, two])
        expect((await del(`/v1/connections/${id}?force=true`, account)).status).toBe(204);
    },
  );

  row(
    ['completion.connections.80', 'completion.connections.83', 'completion.connections.84'],
    'for an end user passes over the connections of others and the account’s own',
    async () => {
      const id = await toolset([first, theirs]);
      expectRun(await execute(id, 'whoami', { endUserId: 'customer-1' }), theirs);
      expectRun(await execute(id, 'whoami'), first);
      for (const endUserId of ['customer-2', 'customer-1x'])
        expectError(await execute(id, 'whoami', { endUserId }), 409, 'NO_TOOLSET_CONNECTION');
      expectError(
        await execute(await toolset([first]), 'whoami', { endUserId: 'customer-1' }),
        409,
        'NO_TOOLSET_CONNECTION',
      );
      const foreign = { endUserId: 'customer-2', connectionId: theirs };
      expectError(await execute(id, 'whoami', foreign), 404, 'NOT_FOUND');
    },
  );
});

describe('A connection that a toolset uses', () => {
  row(
    ['completion.connections.43', 'completion.connections.45', 'completion.everywhere.36'],
    'is deleted by force only, and then leaves the toolset',
    async () => {
      const { id: used } = await createCrmConnection('Used', account.apiKey);
      const id = await toolset([first, used]);
      const refused = await del(`/v1/connections/${used}`, account);
      expectError(refused, 409, 'CONNECTION_IN_USE');
      expect(refused.body.candidates).toEqual([`toolset:${id}`]);
      expectRun(await execute(id, 'whoami', { connectionId: used }), used, 'explicit');
      expect((await del(`/v1/connections/${used}?force=true`, account)).status).toBe(204);
      const { body } = await get(`/v1/toolsets/${id}`, account);
      expect(body.connections).toEqual([{ connectionId: first }]);
      expectError(await del(`/v1/connections/${used}`, account), 404, 'NOT_FOUND');
      const { id: unused } = await createCrmConnection('Unused', account.apiKey);
      expect((await del(`/v1/connections/${unused}`, account)).status).toBe(204);
    },
  );

  test('and that is deleted while a toolset is made with it stays in none', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id: raced } = await createCrmConnection('Raced', account.apiKey);
      const [made] = await Promise.all([
        post('/v1/toolsets', { name: 'Race', connections: [{ connectionId: raced }] }, account),
        del(`/v1/connections/${raced}?force=true`, account),
      ]);
      const left =
        made.status === 404 ? [] : (await get(`/v1/toolsets/${made.body.id}`, account)).body.connections;
      expect(left).toEqual([]);
    }
  });
});

/** However a call gets its connection, the policy applies. */
const WAYS = {
  toolset: () => ({}),
  explicit: () => ({ connectionId: first }),
  endUser: () => ({ endUserId: 'customer-1' }),
} as const;

describe.each(Object.keys(WAYS) as (keyof typeof WAYS)[])(
  'The policy of a toolset, for a call by %s,',
  (way) => {
    const query = () => WAYS[way]();

    test('[completion.toolsets-and-workflows.4] readOnly permits only tools that change nothing, and lists no others', async () => {
      const id = await toolset([first, theirs], { policy: { readOnly: true } });
      const listed = expectList(await get(`/v1/toolsets/${id}/tools`, account));
      expect(listed.items.map(({ toolSlug }) => String(toolSlug)).toSorted()).toEqual([
        'sandbox-crm-get-contact',
        'sandbox-crm-get-deal',
        'sandbox-crm-get-invoice',
        'sandbox-crm-list-contacts',
        'sandbox-crm-list-deals',
        'sandbox-crm-list-invoices',
        'sandbox-crm-whoami',
      ]);
      expect(listed.totalCount).toBe(listed.items.length);
      expect((await execute(id, 'list-contacts', query())).body.isSuccess).toBe(true);
      const before = await rows();
      for (const name of ['create-contact', 'update-contact', 'delete-contact'])
        expectError(await execute(id, name, query()), 403, 'TOOL_NOT_IN_TOOLSET');
      expect(await rows()).toBe(before);
    });

    test('[completion.toolsets-and-workflows.13] fixedFields override the caller’s inputs', async () => {
      const fixedFields = { 'sandbox-crm-create-contact': { company: 'ACME' } };
      const id = await toolset([first, theirs], { policy: { fixedFields } });
      const fields = { name: 'Ada', email: `${randomUUID()}@example.com`, company: 'Evil' };
      const { body } = await execute(id, 'create-contact', query(), fields);
      expect(body).toMatchObject({ isSuccess: true, output: { name: 'Ada', company: 'ACME' } });
      const stored = await get(`/v1/executions/${body.historyId}`, account);
      expect(stored.body.fields).toMatchObject({ company: 'ACME' });
      const dry = await execute(id, 'create-contact', { ...query(), dryRun: 'true' }, fields);
      expect(dry.text).toContain('ACME');
      expect(dry.text).not.toContain('Evil');
    });

    test('[completion.toolsets-and-workflows.5] callsPerHour is exact, and refused calls consume nothing', async () => {
      const policy = { callsPerHour: 3, fixedFields: { 'sandbox-crm-get-contact': { id: 'x' } } };
      const id = await toolset([first, theirs], { policy });
      expectError(await execute(id, 'create-contact', query()), 400, 'VALIDATION_ERROR');
      expect((await execute(id, 'whoami', { ...query(), dryRun: 'true' })).status).toBe(200);
      const answers = await Promise.all(Array.from({ length: 8 }, () => execute(id, 'whoami', query())));
      const ran = answers.filter(({ status }) => status === 200);
      const refused = answers.filter(({ status }) => status !== 200);
      // Repeated, because an hour may begin in between.
      expect([3, 6]).toContain(ran.length);
      for (const answer of refused) {
        expectError(answer, 429, 'RATE_LIMIT_EXCEEDED');
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      }
    });
  },
);

row(
  ['completion.toolsets-and-workflows.14'],
  'fixedFields leave the inputSchema of the toolset’s tools, `required` included, and of no other list',
  async () => {
    const toolSlug = 'sandbox-crm-create-contact';
    const id = await toolset([first], {
      tools: [tool('create-contact')],
      policy: { fixedFields: { [toolSlug]: { name: 'Fixed', company: 'ACME' } } },
    });
    const [listed] = expectList(await get(`/v1/toolsets/${id}/tools`, account)).items;
    const { inputSchema } = (await get(`/v1/tools/${toolSlug}`, account)).body;
    const { name: _name, company: _company, ...properties } = inputSchema.properties;
    expect(inputSchema.required).toContain('name');
    expect(listed.inputSchema).toEqual({
      ...inputSchema,
      properties,
      required: inputSchema.required.filter((it: string) => it !== 'name'),
    });
    const ran = await execute(id, 'create-contact', {}, { email: `${randomUUID()}@example.com` });
    expect(ran.body).toMatchObject({ isSuccess: true, output: { name: 'Fixed', company: 'ACME' } });
  },
);

row(
  ['completion.toolsets-and-workflows.14', 'completion.applications-and-tools.64'],
  'fixedFields that name a tool by an alias leave its inputSchema, too',
  async () => {
    const named = { applicationSlug: 'hosted-crm', toolSlug: 'hosted-crm-whoami' };
    const id = await toolset([], {
      tools: [named],
      policy: { fixedFields: { 'hosted-crm-get-current-user': { workspace: 'ws_1' } } },
    });
    const [listed] = expectList(await get(`/v1/toolsets/${id}/tools`, account)).items;
    expect(listed).toMatchObject(named);
    expect(Object.keys(listed.inputSchema.properties)).toEqual(['language']);
  },
);
