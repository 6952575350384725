import { randomUUID } from 'node:crypto';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { MAX_TOOLSETS } from '../domain/toolset.ts';
import type { Toolset } from '../domain/toolset.ts';
import type { ToolsetStore } from '../ports/toolset-store.ts';
import { toolset } from '../testing/toolsets.ts';
import { schema } from './schema.ts';
import { toolsetCollection } from './toolset.collection.ts';
import type { ToolsetDocument } from './toolset.collection.ts';
import { createToolsetRepository, toExportedToolset } from './toolset.repository.ts';

const ctx = testContext();
const NOW = new Date('2026-11-22T10:00:00.000Z');

let store: MongoStore & { drop(): Promise<void> };
let toolsets: ToolsetStore;
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), schema.collections);
  toolsets = createToolsetRepository(store);
});
afterAll(() => store.drop());

async function insert(accountId: string, o: Partial<Toolset> = {}): Promise<Toolset> {
  const created = toolset({ id: randomUUID(), ...o });
  await toolsets.insert(ctx, accountId, created);
  return created;
}

test('a toolset is read as it was written, whatever the names in its policy', async () => {
  const policy = {
    readOnly: true,
    fixedFields: { 'a.b': { $set: 1, 'nul\0': [null, { '': 1.5 }] } },
    callsPerHour: 3,
    requireApproval: ['x'],
    bindings: { 'a.b': ['mcp $a.b\0'], x: [] },
  };
  const tools = [{ applicationSlug: 'crm', toolSlug: 'a', identity: 'mcp $a.b\0' }];
  const written = await insert('reads', { policy, tools });
  expect(await toolsets.find(ctx, 'reads', written.id)).toEqual(written);
  const { items } = await toolsets.list(ctx, 'reads', { offset: 0, top: 1 });
  expect(JSON.stringify(items[0]?.policy?.fixedFields)).toBe(JSON.stringify(policy.fixedFields));
  expect(await toolsets.find(ctx, 'other', written.id)).toBeUndefined();
});

test('a change replaces the members that it has, in the toolset of its account only', async () => {
  const written = await insert('changes');
  const change = { tools: [], policy: null, connectionIds: [1, 2], workflowTokens: ['wf', 'gone'] };
  expect(await toolsets.update(ctx, 'other', written, change, NOW)).toBeUndefined();
  const changed = { ...written, ...change, revision: 1, updatedAt: NOW };
  expect(await toolsets.update(ctx, 'changes', written, change, NOW)).toEqual(changed);
  const members = { connectionIds: [2, 3], workflowTokens: ['gone', 'other'] };
  expect(await toolsets.removeMembers(ctx, 'changes', written.id, members)).toEqual({
    ...changed,
    connectionIds: [1],
    workflowTokens: ['wf'],
  });
  expect(await toolsets.delete(ctx, 'other', written.id)).toBe(false);
  expect(await toolsets.delete(ctx, 'changes', written.id)).toBe(true);
  expect(await toolsets.find(ctx, 'changes', written.id)).toBeUndefined();
});

test.each([{ policy: null }, { connectionIds: [9] }, { workflowTokens: ['wf'] }])(
  'the change %j is made only to the revision that it was checked with; another one to any',
  async (change) => {
    const written = await insert('revisions');
    const later = await toolsets.update(ctx, 'revisions', written, change, NOW);
    expect(later).toMatchObject({ ...change, revision: 1 });
    expect(await toolsets.update(ctx, 'revisions', written, change, NOW)).toBeUndefined();
    const renamed = { name: 'New', tools: null, description: 'x' };
    expect(await toolsets.update(ctx, 'revisions', written, renamed, NOW)).toMatchObject({
      ...renamed,
      revision: 1,
    });
    expect(await toolsets.update(ctx, 'revisions', { ...written, revision: 1 }, change, NOW)).toMatchObject({
      revision: 2,
    });
  },
);

test('a toolset that was stored before there were revisions and bindings is read and changed', async () => {
  const { id, revision: _revision, ...same } = toolset({ id: randomUUID() });
  const policy = { readOnly: false, fixedFields: {}, callsPerHour: null, requireApproval: ['x'] };
  const stored = { ...same, _id: id, accountId: 'former', policy: { ...policy, fixedFields: [] } };
  await store.collection(toolsetCollection).insertOne(stored);
  const found = await toolsets.find(ctx, 'former', id);
  expect(found).toEqual({ ...same, id, policy, revision: 0 });
  const change = { connectionIds: [1] };
  expect(await toolsets.update(ctx, 'former', { id, revision: 0 }, change, NOW)).toMatchObject({
    ...change,
    policy,
    revision: 1,
  });
});

test('an account exports its toolsets as the API shows them', async () => {
  const policy = { readOnly: true, fixedFields: {}, callsPerHour: null, requireApproval: ['x'] };
  const tools = [{ applicationSlug: 'crm', toolSlug: 'a' }];
  const { id, revision: _revision, ...same } = toolset({ id: randomUUID() });
  const document = { ...same, _id: id, accountId: 'exports' };
  const bound = { ...policy, fixedFields: [], bindings: JSON.stringify({ x: ['mcp mcp-7 x'] }) };
  const identified = tools.map((tool) => ({ ...tool, identity: 'slug a' }));
  expect(toExportedToolset({ ...document, revision: 3, policy: bound, tools: identified })).toEqual({
    ...same,
    id,
    policy,
    tools,
  });
  expect(toExportedToolset({ ...document, policy: null })).toEqual({ ...same, id });
});

test('uses are found and removed in every toolset of the account', async () => {
  const one = await insert('uses', { connectionIds: [1, 2], workflowTokens: ['wf'] });
  const two = await insert('uses', { connectionIds: [2] });
  await insert('uses', { connectionIds: [3] });
  const foreign = await insert('others', { connectionIds: [2] });
  const ids = [one.id, two.id].toSorted();
  expect(await toolsets.listUses(ctx, 'uses', { connectionId: 2 }, 10)).toEqual(ids);
  expect(await toolsets.listUses(ctx, 'uses', { connectionId: 2 }, 1)).toEqual(ids.slice(0, 1));
  expect(await toolsets.listUses(ctx, 'uses', { workflowToken: 'wf' }, 10)).toEqual([one.id]);
  expect(await toolsets.listUses(ctx, 'others', { workflowToken: 'wf' }, 10)).toEqual([]);
  await toolsets.removeUses(ctx, 'uses', [2, 9], NOW);
  expect(await toolsets.listUses(ctx, 'uses', { connectionId: 2 }, 10)).toEqual([]);
  expect(await toolsets.find(ctx, 'uses', one.id)).toEqual({
    ...one,
    connectionIds: [1],
    updatedAt: NOW,
  });
  expect(await toolsets.find(ctx, 'others', foreign.id)).toEqual(foreign);
});

interface ProfileEntry {
  readonly planSummary?: string;
  readonly keysExamined?: number;
  readonly docsExamined?: number;
  readonly hasSortStage?: boolean;
}

test('with very many toolsets, the first page and every use read an index only', async () => {
  const accountId = 'many';
  const COUNT = 2_000;
  const documents = Array.from({ length: COUNT }, (_, index) => {
    const { id, ...same } = toolset({
      id: randomUUID(),
      connectionIds: [index],
      createdAt: new Date(NOW.getTime() + index),
    });
    return { ...same, _id: id, accountId, policy: null };
  });
  await store.collection(toolsetCollection).insertMany(documents);
  const { db } = store;
  await db.command({ profile: 2 });
  const { items, totalCount } = await toolsets.list(ctx, accountId, { offset: 0, top: 5 });
  await toolsets.find(ctx, accountId, items[0]?.id ?? '');
  await toolsets.listUses(ctx, accountId, { connectionId: 17 }, 10);
  await toolsets.listUses(ctx, accountId, { workflowToken: 'wf' }, 10);
  await toolsets.removeUses(ctx, accountId, [17], NOW);
  await db.command({ profile: 0 });
  expect([items.length, totalCount]).toEqual([5, COUNT]);
  expect(items.map(({ createdAt }) => createdAt.getTime() - NOW.getTime())).toEqual(
    [1, 2, 3, 4, 5].map((back) => COUNT - back),
  );
  const executed = await db
    .collection<ProfileEntry>('system.profile')
    .find({ planSummary: { $exists: true } })
    .toArray();
  expect(executed.length).toBeGreaterThanOrEqual(6);
  const reading = executed.filter(
    ({ planSummary = '', docsExamined = 0, hasSortStage = false }) =>
      planSummary.includes('COLLSCAN') || hasSortStage || docsExamined > 5,
  );
  expect(reading).toEqual([]);
});

test('an account has at most 1 000, however many are created at the same time', async () => {
  const [accountId, other] = [randomUUID(), randomUUID()];
  const { id } = await insert(accountId);
  const collection = store.collection(toolsetCollection);
  const one = await collection.findOne({ _id: id });
  const copies = Array.from({ length: MAX_TOOLSETS - 3 }, () => ({ ...one, _id: randomUUID() }));
  // Copies of stored toolsets.
  await collection.insertMany(copies as ToolsetDocument[]);
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => insert(accountId)));
  const refused = results.flatMap((result) =>
    result.status === 'rejected' ? [result.reason as unknown] : [],
  );
  expect(refused).toHaveLength(6);
  for (const reason of refused) expect(reason).toMatchObject({ code: 'CONFLICT' });
  await insert(other);
  await toolsets.delete(ctx, accountId, id);
  await insert(accountId);
});
