import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { del, expectError, expectList, get, patch, post, stack } from './support/api.ts';
import { createCrmConnection } from './support/connections.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

const path = '/v1/toolsets';
const applicationSlug = 'sandbox-crm';
const tool = (name: string) => ({ applicationSlug, toolSlug: `sandbox-crm-${name}` });

let account: TestAccount;
let connectionId: number;
beforeAll(async () => {
  account = await createAccount();
  connectionId = (await createCrmConnection('CRM', account.apiKey)).id;
});
afterAll(() => removeAccount(account));

async function create(members: Record<string, unknown> = {}): Promise<Record<string, any> & { id: string }> {
  return expectStatus(await post(path, { name: 'Toolset', ...members }, account), 201).body;
}

describe('A toolset', () => {
  row(
    [
      'identifiers-and-naming.4',
      'completion.toolsets-and-workflows.1',
      'completion.toolsets-and-workflows.3',
      'completion.toolsets-and-workflows.19',
    ],
    'is created, read, listed, changed and deleted',
    async () => {
      const policy = {
        readOnly: true,
        fixedFields: { 'sandbox-crm-update-contact': { company: 'ACME' } },
        callsPerHour: 10,
        requireApproval: ['sandbox-crm-create-contact'],
        approvedByOther: false,
      };
      const members = {
        name: 'Sales',
        description: 'What sales may do',
        connections: [{ connectionId }],
        tools: [tool('list-contacts'), tool('create-contact')],
        workflows: [],
        policy,
      };
      const created = await create(members);
      const { id, createdAt, updatedAt, ...record } = created;
      expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(updatedAt).toBe(createdAt);
      expect(record).toEqual(members);
      expect((await get(`${path}/${id}`, account)).body).toEqual(created);
      expect((await get(`${path}/${id.toUpperCase()}`, account)).body).toEqual(created);
      const older = await create();
      const { items, totalCount } = expectList(await get(path, account));
      expect(items.slice(0, 2).map((it) => it.id)).toEqual([older.id, id]);
      expect(totalCount).toBe(items.length);
      const changed = await patch(`${path}/${id}`, { name: 'Service', policy: null }, account);
      expect(changed.body).toEqual({
        ...created,
        name: 'Service',
        policy: null,
        updatedAt: changed.body.updatedAt,
      });
      expect((await del(`${path}/${id}`, account)).status).toBe(204);
      expectError(await get(`${path}/${id}`, account), 404, 'NOT_FOUND');
      expectError(await del(`${path}/${id}`, account), 404, 'NOT_FOUND');
    },
  );

  row(
    ['completion.toolsets-and-workflows.15', 'completion.toolsets-and-workflows.16'],
    'needs a name of 1 to 200 characters, and nothing else',
    async () => {
      expect(await create({ name: 'x'.repeat(200) })).toMatchObject({
        name: 'x'.repeat(200),
        description: null,
        connections: [],
        tools: null,
        workflows: [],
        policy: null,
      });
      for (const name of ['', 'x'.repeat(201), 7, null, undefined])
        expectError(await post(path, { name }, account), 400, 'VALIDATION_ERROR', ['name']);
    },
  );

  row(
    ['completion.toolsets-and-workflows.17', 'completion.toolsets-and-workflows.18', 'errors.26'],
    'names only what exists, each once',
    async () => {
      const twice = [tool('whoami'), tool('whoami')];
      expect(await create({ connections: [{ connectionId }, { connectionId }], tools: twice })).toMatchObject(
        {
          connections: [{ connectionId }],
          tools: [tool('whoami')],
        },
      );
      const both = [tool('whoami'), tool('get-current-user')];
      const { id, tools } = await create({ connections: [{ connectionId }], tools: both });
      expect(tools).toEqual(both);
      const listed = expectList(await get(`${path}/${id}/tools`, account));
      expect(listed.items.map((it) => it.toolSlug)).toEqual(['sandbox-crm-whoami']);
      const before = expectList(await get(path, account)).totalCount;
      for (const unknown of [
        { tools: [tool('whoami'), tool('whoareyou')] },
        { tools: [{ applicationSlug: 'http', toolSlug: 'sandbox-crm-whoami' }] },
        { connections: [{ connectionId: 2_000_000_000 }] },
        { workflows: [{ workflowToken: randomUUID() }] },
        { policy: { requireApproval: ['sandbox-crm-create-contacts'] } },
        { policy: { fixedFields: { 'sandbox-crm-create-contacts': {} } } },
      ]) {
        expectError(await post(path, { name: 'x', ...unknown }, account), 404, 'NOT_FOUND');
      }
      expect(expectList(await get(path, account)).totalCount).toBe(before);
      expectError(
        await post(path, { name: 'x', connections: [{ connectionId: 0 }] }, account),
        400,
        'VALIDATION_ERROR',
        ['connections[0].connectionId'],
      );
    },
  );

  row(
    ['completion.toolsets-and-workflows.20', 'completion.toolsets-and-workflows.21'],
    'keeps what a PATCH leaves out; a list replaces, and tools: null lifts it',
    async () => {
      const tools = [tool('whoami'), tool('list-contacts')];
      const { id } = await create({ connections: [{ connectionId }], tools });
      const change = async (body: object) => (await patch(`${path}/${id}`, body, account)).body;
      expect(await change({ name: 'New' })).toMatchObject({ tools, connections: [{ connectionId }] });
      expect(await change({ tools: [tool('list-deals')], connections: [] })).toMatchObject({
        name: 'New',
        tools: [tool('list-deals')],
        connections: [],
      });
      expect(await change({ tools: [] })).toMatchObject({ tools: [] });
      expect(await change({ tools: null })).toMatchObject({ name: 'New', tools: null });
      expectError(await patch(`${path}/${id}`, { connections: null }, account), 400, 'VALIDATION_ERROR', [
        'connections',
      ]);
      expectError(await patch(`${path}/${id}`, { tools: [tool('none')] }, account), 404, 'NOT_FOUND');
      expect((await get(`${path}/${id}`, account)).body).toMatchObject({ tools: null });
    },
  );

  row(
    [
      'completion.everywhere.12',
      'completion.toolsets-and-workflows.2',
      'completion.toolsets-and-workflows.22',
      'completion.toolsets-and-workflows.24',
    ],
    'lists the tools that it permits; the detail of a tool is not scoped by it',
    async () => {
      const slugs = async (id: string, query = '') =>
        expectList(await get(`${path}/${id}/tools${query}`, account)).items.map((it) => it.toolSlug);
      const all = await create({ connections: [{ connectionId }] });
      const catalogue = expectList(await get(`/v1/tools?applicationSlug=${applicationSlug}`, account));
      expect(expectList(await get(`${path}/${all.id}/tools`, account))).toEqual(catalogue);
      const second = catalogue.items[1].toolSlug;
      expect(await slugs(all.id, '?offset=1&top=1')).toEqual([second]);
      const some = await create({ connections: [{ connectionId }], tools: [tool('whoami')] });
      expect(await slugs(some.id)).toEqual(['sandbox-crm-whoami']);
      expect(await slugs((await create()).id)).toEqual([]);
      const detail = await get(`/v1/tools/sandbox-crm-list-deals?toolsetId=${some.id}`, account);
      expect(detail.body.toolSlug).toBe('sandbox-crm-list-deals');
    },
  );
});

describe('Toolsets and workflows', () => {
  row(
    'completion.toolsets-and-workflows.58',
    'an account has 1 000 of each, also of those that are created at once; what is deleted gives its place back',
    async () => {
      const crowded = await createAccount();
      const mongo = await MongoClient.connect(stack.mongodbUri);
      const steps = [{ id: 'a', toolSlug: 'sandbox-crm-list-contacts' }];
      for (const [name, id, more] of [
        ['toolsets', 'id', {}],
        ['workflows', 'workflowToken', { steps }],
      ] as const) {
        const create = (slug: string) =>
          post(`/v1/${name}`, { name: slug, ...(name === 'workflows' && { slug }), ...more }, crowded);
        const first = expectStatus(await create('first'), 201).body[id];
        // A thousand calls would take too long, so the first one's stored row is copied.
        const stored = mongo.db('fairlead_tools').collection<{ _id: string }>(name);
        const one = await stored.findOne({ _id: first });
        const copies = Array.from({ length: 994 }, (_, index) => {
          const slug = `copy-${index}`;
          return { ...one, _id: randomUUID(), ...(name === 'workflows' && { slug, aliases: [slug] }) };
        });
        await stored.insertMany(copies);
        const answers = await Promise.all(Array.from({ length: 15 }, (_, index) => create(`new-${index}`)));
        const refused = answers.filter((answer) => answer.status !== 201);
        for (const answer of refused) expectError(answer, 409, 'CONFLICT');
        expect(refused).toHaveLength(10);
        expect((await get(`/v1/${name}?top=1`, crowded)).body.totalCount).toBe(1_000);
        expect((await del(`/v1/${name}/${first}`, crowded)).status).toBe(204);
        expectStatus(await create('again'), 201);
        expectError(await create('beyond'), 409, 'CONFLICT');
      }
      await mongo.close();
      await removeAccount(crowded);
    },
  );
});
