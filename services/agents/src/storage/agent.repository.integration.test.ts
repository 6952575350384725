import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { createClaims } from '@fairlead/service-kit/sweep/claims';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { ABANDONED_MS, MAX_AGENTS } from '../domain/agent.ts';
import { newToken } from '../domain/agent-token.ts';
import type { AgentStore } from '../ports/agent-store.ts';
import { newAgent } from '../testing/agents.ts';
import { testSealer } from '../testing/sealer.ts';
import { agentCollection, REMOVAL_PATH } from './agent.collection.ts';
import { createAgentRepository } from './agent.repository.ts';
import { schema } from './schema.ts';

const ctx = testContext();
const NOW = new Date('2026-11-29T13:00:00.000Z');

let store: MongoStore & { drop(): Promise<void> };
let agents: AgentStore;
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), schema.collections);
  agents = createAgentRepository(store, testSealer(store));
});
afterAll(() => store.drop());

async function create(accountId: string, id: number, o: Parameters<typeof newAgent>[0] = {}) {
  const agent = newAgent(o);
  await agents.beginCreation(ctx, accountId, agent);
  await agents.completeCreation(ctx, accountId, agent.creationId, id);
  return { ...agent, id };
}

test('an agent is found once its connection exists, by its account only; its token is sealed', async () => {
  const agent = newAgent();
  await agents.beginCreation(ctx, 'reads', agent);
  expect((await agents.list(ctx, 'reads', { offset: 0, top: 10 })).totalCount).toBe(0);
  const { token, ...same } = agent;
  const ready = { ...same, id: 7 };
  expect(await agents.completeCreation(ctx, 'reads', agent.creationId, 7)).toEqual(ready);
  expect(await agents.completeCreation(ctx, 'reads', agent.creationId, 8)).toBeUndefined();
  expect(await agents.find(ctx, 'reads', 7)).toEqual({ ...ready, pollReplica: null });
  expect(await agents.find(ctx, 'other', 7)).toBeUndefined();
  expect((await agents.findToken(ctx, 'reads', 7))?.reveal()).toBe(token.reveal());
  expect(await agents.findToken(ctx, 'other', 7)).toBeUndefined();
  const stored = JSON.stringify(await store.collection(agentCollection).find({}).toArray());
  expect(stored).not.toContain(token.reveal());
});

test('settings are written unless they have changed meanwhile', async () => {
  const agent = await create('settings', 7);
  const settings = { ...agent.settings, parallelTasks: 3 };
  expect(await agents.saveSettings(ctx, 'other', agent, settings, NOW)).toBe(false);
  expect(await agents.saveSettings(ctx, 'settings', agent, settings, NOW)).toBe(true);
  expect(await agents.saveSettings(ctx, 'settings', agent, agent.settings, NOW)).toBe(false);
  expect(await agents.find(ctx, 'settings', 7)).toMatchObject({ settings, updatedAt: NOW });
});

test('a new token replaces the former one, and the agent has left', async () => {
  const { creationId } = await create('rotations', 7);
  const token = newToken();
  expect(await agents.rotate(ctx, 'other', 7, token, NOW)).toBeUndefined();
  expect(await agents.rotate(ctx, 'rotations', 7, token, NOW)).toEqual({ creationId });
  expect((await agents.findToken(ctx, 'rotations', 7))?.reveal()).toBe(token.reveal());
  expect(await agents.find(ctx, 'rotations', 7)).toMatchObject({ hasLeft: true });
});

test('an agent that is being created or removed is claimed later, and hidden until then', async () => {
  const claims = createClaims(store, agentCollection, REMOVAL_PATH);
  const abandoned = newAgent({ createdAt: NOW });
  await agents.beginCreation(ctx, 'removals', abandoned);
  const removed = await create('removals', 7);
  await create('removals', 8);
  expect(await agents.beginRemoval(ctx, 'other', { id: 7 }, NOW)).toBeUndefined();
  expect(await agents.beginRemoval(ctx, 'removals', { id: 7 }, NOW)).toEqual({
    creationId: removed.creationId,
  });
  expect(await agents.find(ctx, 'removals', 7)).toBeUndefined();
  const at = (ms: number) => new Date(NOW.getTime() + ms);
  const claim = (now: Date) => claims.claim('removals', { now, until: at(ABANDONED_MS * 9), limit: 10 });
  expect(await claim(at(ABANDONED_MS - 1))).toEqual([]);
  const claimed = await claim(at(ABANDONED_MS));
  const ids = claimed.map(({ document }) => document._id);
  expect(ids.toSorted()).toEqual([abandoned.creationId, removed.creationId].toSorted());
  for (const creationId of ids) {
    await agents.beginRemoval(ctx, 'removals', { creationId }, NOW);
    await agents.remove(ctx, 'removals', creationId);
  }
  expect(await agents.completeCreation(ctx, 'removals', abandoned.creationId, 9)).toBeUndefined();
  const left = await agents.list(ctx, 'removals', { offset: 0, top: 10 });
  expect(left.items.map(({ id }) => id)).toEqual([8]);
});

test(`an account has at most ${MAX_AGENTS}; lists and reads use an index only`, async () => {
  const accountId = 'many';
  await create(accountId, 1);
  const [stored] = await store.collection(agentCollection).find({ accountId }).toArray();
  if (stored === undefined) throw new Error('the agent is not stored');
  const documents = Array.from({ length: MAX_AGENTS - 2 }, (_, index) => ({
    ...stored,
    _id: `copy ${index}`,
    tokenHash: `hash ${index}`,
    connectionId: index + 2,
  }));
  await store.collection(agentCollection).insertMany(documents);
  const begun = await Promise.allSettled([1, 2].map(() => agents.beginCreation(ctx, accountId, newAgent())));
  expect(begun.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  await expect(agents.beginCreation(ctx, accountId, newAgent())).rejects.toMatchObject({ code: 'CONFLICT' });
  const { executionStats } = await store
    .collection(agentCollection)
    .find({ accountId, connectionId: 500, state: 'ready' })
    .explain();
  expect(executionStats).toMatchObject({ totalDocsExamined: 1, nReturned: 1 });
  const page = await agents.list(ctx, accountId, { offset: 990, top: 5 });
  expect([page.items.length, page.totalCount]).toEqual([5, MAX_AGENTS - 1]);
});
