import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { guid } from '@fairlead/service-kit/ids';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { WORKFLOW_LIMITS } from '../domain/workflow.ts';
import type { Workflow, WorkflowChange } from '../domain/workflow.ts';
import { toolset } from '../testing/toolsets.ts';
import { schema } from './schema.ts';
import { createToolsetRepository } from './toolset.repository.ts';
import { workflowCollection } from './workflow.collection.ts';
import type { WorkflowDocument } from './workflow.collection.ts';
import { createWorkflowRepository } from './workflow.repository.ts';

const NOW = new Date('2026-11-22T10:00:00.000Z');
const LATER = new Date('2026-11-22T11:00:00.000Z');
const ctx = testContext();
let store: MongoStore & { drop(): Promise<void> };
let repository: ReturnType<typeof createWorkflowRepository>;
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), schema.collections);
  repository = createWorkflowRepository(store);
});
afterAll(() => store.drop());

function workflow(workflowToken: string, o: Partial<Workflow> = {}): Workflow {
  return {
    workflowToken,
    name: 'Flow',
    slug: workflowToken,
    description: '',
    inputSchema: { type: 'object', properties: { $a: {}, 'b.c': {} } },
    steps: [{ id: 'a', toolSlug: 'tool', applicationSlug: '', fields: { 'x.y': '=1' }, onError: 'stop' }],
    output: null,
    revision: 1,
    aliases: [],
    createdAt: NOW,
    updatedAt: NOW,
    ...o,
  };
}

test('a workflow is read as it was written, by its account only', async () => {
  const [mine, other] = [guid(), guid()];
  const stored = workflow(guid());
  expect(await repository.insert(ctx, mine, stored)).toBe('inserted');
  const { workflowToken, slug } = stored;
  expect(await repository.find(ctx, mine, workflowToken)).toEqual(stored);
  expect(await repository.findBySlug(ctx, mine, slug)).toEqual(stored);
  const { steps: _steps, output: _output, ...shown } = stored;
  const some = await repository.findSome(ctx, mine, [workflowToken, 'none']);
  expect(JSON.parse(JSON.stringify(some))).toEqual([JSON.parse(JSON.stringify(shown))]);
  const { items, totalCount } = await repository.list(ctx, mine, { offset: 0, top: 10 });
  expect(totalCount).toBe(1);
  expect(JSON.parse(JSON.stringify(items))).toEqual(JSON.parse(JSON.stringify([stored])));
  expect(await repository.find(ctx, other, workflowToken)).toBeUndefined();
  expect(await repository.findBySlug(ctx, other, slug)).toBeUndefined();
  expect(await repository.findSome(ctx, other, [workflowToken])).toEqual([]);
  expect(await repository.update(ctx, other, stored, { name: 'Theirs' }, LATER)).toBeUndefined();
  const o = { isForced: true, now: LATER };
  expect(await repository.delete(ctx, other, workflowToken, o)).toEqual({ kind: 'missing' });
  expect(await repository.find(ctx, mine, workflowToken)).toEqual(stored);
});

test('a slug belongs to one workflow of an account; a change counts a revision', async () => {
  const [mine, other] = [guid(), guid()];
  const [one, two] = [workflow(guid()), workflow(guid())];
  await repository.insert(ctx, mine, one);
  await repository.insert(ctx, mine, two);
  const { slug } = one;
  expect(await repository.insert(ctx, mine, workflow(guid(), { slug }))).toBe('taken');
  expect(await repository.update(ctx, mine, two, { slug }, LATER)).toBe('taken');
  expect(await repository.insert(ctx, other, workflow(guid(), { slug }))).toBe('inserted');
  expect(await repository.update(ctx, mine, one, { output: '=1' }, LATER)).toEqual({
    ...one,
    output: '=1',
    revision: 2,
    updatedAt: LATER,
  });
});

test('a former slug stays an alias; of changes at once to what was found, one is made', async () => {
  const mine = guid();
  const stored = workflow(guid(), { slug: 'a' });
  await repository.insert(ctx, mine, stored);
  const update = (found: Workflow, change: WorkflowChange) =>
    repository.update(ctx, mine, found, change, LATER);
  const made = await Promise.all(['b', 'c'].map((slug) => update(stored, { slug })));
  const renamed = made.find((one) => typeof one === 'object') ?? stored;
  expect(made).toHaveLength(2);
  expect(made).toContain(undefined);
  expect(renamed.aliases).toEqual(['a']);
  const named = await update(renamed, { name: 'New' });
  expect(named).toMatchObject({ slug: renamed.slug, aliases: ['a'] });
  const again = await update({ ...renamed, revision: renamed.revision + 1 }, { slug: 'a' });
  expect(again).toMatchObject({ slug: 'a', aliases: [renamed.slug] });
});

test('no workflow takes a slug that another one has had; its own former ones it may have again, and a deleted one leaves its slugs', async () => {
  const mine = guid();
  const [first, second] = [workflow(guid(), { slug: 'first' }), workflow(guid(), { slug: 'second' })];
  const rename = async ({ workflowToken }: Workflow, slug: string) => {
    const found = await repository.find(ctx, mine, workflowToken);
    return found && repository.update(ctx, mine, found, { slug }, LATER);
  };
  await repository.insert(ctx, mine, first);
  await repository.insert(ctx, mine, second);
  expect(await rename(first, 'renamed')).toMatchObject({ slug: 'renamed', aliases: ['first'] });
  expect(await repository.insert(ctx, mine, workflow(guid(), { slug: 'first' }))).toBe('taken');
  expect(await rename(second, 'first')).toBe('taken');
  expect(await repository.find(ctx, mine, second.workflowToken)).toEqual(second);
  expect(await repository.insert(ctx, guid(), workflow(guid(), { slug: 'first' }))).toBe('inserted');
  expect(await rename(first, 'first')).toMatchObject({ slug: 'first', aliases: ['renamed'] });
  await repository.delete(ctx, mine, first.workflowToken, { isForced: true, now: LATER });
  expect(await rename(second, 'renamed')).toMatchObject({ slug: 'renamed', aliases: ['second'] });
});

test('one that toolsets hold is removed from them with itself, or not at all', async () => {
  const mine = guid();
  const { workflowToken } = workflow(guid());
  const toolsets = createToolsetRepository(store);
  const holder = toolset({ id: guid(), workflowTokens: ['other', workflowToken] });
  await repository.insert(ctx, mine, workflow(workflowToken));
  await toolsets.insert(ctx, mine, holder);
  expect(await repository.delete(ctx, mine, workflowToken, { isForced: false, now: LATER })).toEqual({
    kind: 'inUse',
    toolsetIds: [holder.id],
  });
  expect(await toolsets.find(ctx, mine, holder.id)).toEqual(holder);
  expect(await repository.delete(ctx, mine, workflowToken, { isForced: true, now: LATER })).toEqual({
    kind: 'deleted',
  });
  expect(await toolsets.find(ctx, mine, holder.id)).toMatchObject({
    workflowTokens: ['other'],
    updatedAt: LATER,
  });
  expect(await repository.find(ctx, mine, workflowToken)).toBeUndefined();
});

test('a toolset that is written while one is deleted does not keep it', async () => {
  const mine = guid();
  const { workflowToken } = workflow(guid());
  const toolsets = createToolsetRepository(store);
  const late = toolset({ id: guid(), workflowTokens: ['other', workflowToken] });
  const racing = createWorkflowRepository({
    ...store,
    withTransaction: (work) =>
      store.withTransaction(async (session) => {
        const result = await work(session);
        await toolsets.insert(ctx, mine, late);
        return result;
      }),
  });
  await repository.insert(ctx, mine, workflow(workflowToken));
  await racing.delete(ctx, mine, workflowToken, { isForced: false, now: LATER });
  expect(await toolsets.find(ctx, mine, late.id)).toMatchObject({ workflowTokens: ['other'] });
});

test.each<[string, Record<string, unknown>, 1 | -1]>([
  ['a page', { accountId: 'acc' }, -1],
  ['a slug', { accountId: 'acc', slug: 'flow' }, 1],
])('%s is found by an index, in order', async (_name, filter, direction) => {
  const plan = await store
    .collection(workflowCollection)
    .find(filter)
    .sort({ createdAt: direction, _id: direction })
    .limit(1)
    .explain('queryPlanner');
  const stages = JSON.stringify((plan['queryPlanner'] as { winningPlan: unknown }).winningPlan);
  expect(stages).toContain('"IXSCAN"');
  expect(stages).not.toContain('COLLSCAN');
});

test('an account has at most 1 000, however many are created at the same time', async () => {
  const mine = guid();
  await repository.insert(ctx, mine, workflow('first'));
  const collection = store.collection(workflowCollection);
  const one = await collection.findOne({ accountId: mine });
  const copies = Array.from({ length: WORKFLOW_LIMITS.perAccount - 3 }, (_, index) => {
    const slug = `copy-${index}`;
    return { ...one, _id: guid(), slug, aliases: [slug] };
  });
  // Copies of stored workflows.
  await collection.insertMany(copies as WorkflowDocument[]);
  const insert = () => repository.insert(ctx, mine, workflow(guid()));
  const results = await Promise.allSettled(Array.from({ length: 8 }, insert));
  const refused = results.flatMap((result) =>
    result.status === 'rejected' ? [result.reason as unknown] : [],
  );
  expect(refused).toHaveLength(6);
  for (const reason of refused) expect(reason).toMatchObject({ code: 'CONFLICT' });
  await repository.delete(ctx, mine, 'first', { isForced: false, now: LATER });
  expect(await insert()).toBe('inserted');
});
