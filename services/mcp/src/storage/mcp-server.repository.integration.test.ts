import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { uuidv7 } from '@fairlead/service-kit/ids';
import { SealingError } from '@fairlead/sealing/sealed-value';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { MAX_SERVERS } from '../domain/mcp-server.ts';
import type { ServerWithToken } from '../domain/mcp-server.ts';
import { newToken, tokenHashOf } from '../domain/server-token.ts';
import type { ServerStore } from '../ports/server-store.ts';
import { testSealer } from '../testing/sealer.ts';
import { mcpServer } from '../testing/servers.ts';
import { mcpServerCollection } from './mcp-server.collection.ts';
import { createMcpServerRepository } from './mcp-server.repository.ts';
import { tokenBinding } from './sealed-collections.ts';
import { schema } from './schema.ts';

const ctx = testContext();
const NOW = new Date('2026-11-28T13:00:00.000Z');

let store: MongoStore & { drop(): Promise<void> };
let servers: ServerStore;
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), schema.collections);
  servers = createMcpServerRepository(store, testSealer(store));
});
afterAll(() => store.drop());

const fresh = (o: Partial<ServerWithToken> = {}): ServerWithToken =>
  mcpServer({ id: uuidv7(), token: newToken(), ...o });
const hashOf = ({ token }: ServerWithToken): string => tokenHashOf(token.reveal());
const plain = (server: ServerWithToken | undefined) => server && { ...server, token: server.token.reveal() };

async function insert(accountId: string, o: Partial<ServerWithToken> = {}): Promise<ServerWithToken> {
  const server = fresh(o);
  await servers.insert(ctx, accountId, server);
  return server;
}

test('a server is read as it was written, by its account only, and its token is sealed', async () => {
  const tools = [{ toolSlug: 'send', identity: 'mcp $a.b\0' }, { toolSlug: 'list' }];
  const written = await insert('reads', {
    connections: [{ connectionId: 7, applicationSlug: 'crm', tools, identity: 'user' }],
    workflowTokens: ['wf'],
    settings: {
      contextBudget: 5,
      confirmDestructive: true,
      toolsetId: uuidv7(),
      holdChangedTools: true,
      schemas: 'original',
    },
  });
  expect(plain(await servers.find(ctx, 'reads', hashOf(written)))).toEqual(plain(written));
  expect(await servers.find(ctx, 'other', hashOf(written))).toBeUndefined();
  const { token, ...same } = written;
  expect(await servers.findById(ctx, 'reads', written.id)).toEqual(same);
  expect(await servers.findById(ctx, 'other', written.id)).toBeUndefined();
  const stored = JSON.stringify(await store.collection(mcpServerCollection).findOne({ _id: written.id }));
  expect(stored).not.toContain(token.reveal());
});

test('a server of any account is located by the hash of its token and by its id', async () => {
  const { id, ...written } = await insert('located', { isAnonymousAllowed: true, isActive: false });
  const head = { serverId: id, accountId: 'located', isActive: false, isAnonymousAllowed: true };
  expect(await servers.locate(ctx, { tokenHash: tokenHashOf(written.token.reveal()) })).toEqual(head);
  expect(await servers.locate(ctx, { serverId: id })).toEqual(head);
  expect(await servers.locate(ctx, { tokenHash: tokenHashOf('mcp_other') })).toBeUndefined();
  expect(await servers.locate(ctx, { tokenHash: written.token.reveal() })).toBeUndefined();
});

test('a change replaces the members and settings that it has, in the server of its account only', async () => {
  const written = await insert('changes', { isAnonymousAllowed: true });
  const change = {
    isActive: false,
    connections: [],
    workflowTokens: ['wf'],
    settings: { contextBudget: 9, schemas: 'original' as const },
  };
  expect(await servers.update(ctx, 'other', hashOf(written), change, NOW)).toBeUndefined();
  const changed = {
    ...written,
    ...change,
    settings: { ...written.settings, ...change.settings },
    updatedAt: NOW,
  };
  expect(plain(await servers.update(ctx, 'changes', hashOf(written), change, NOW))).toEqual(plain(changed));
  expect(await servers.delete(ctx, 'other', hashOf(written))).toBe(false);
  expect(await servers.delete(ctx, 'changes', hashOf(written))).toBe(true);
  expect(await servers.find(ctx, 'changes', hashOf(written))).toBeUndefined();
});

test('of two rotations at once one is made; the former token finds nothing', async () => {
  const written = await insert('rotations');
  const rotate = () => {
    const token = newToken();
    const { id } = written;
    return servers.rotate(ctx, 'rotations', { id, tokenHash: hashOf(written), token }, NOW);
  };
  const rotated = (await Promise.all([rotate(), rotate()])).filter((server) => server !== undefined);
  expect(rotated).toHaveLength(1);
  expect(await servers.find(ctx, 'rotations', hashOf(written))).toBeUndefined();
  expect(await servers.locate(ctx, { tokenHash: hashOf(written) })).toBeUndefined();
  for (const server of rotated) {
    expect(plain(server)).toEqual({
      ...written,
      token: server.token.reveal(),
      updatedAt: NOW,
    });
    expect(plain(await servers.find(ctx, 'rotations', hashOf(server)))).toEqual(plain(server));
  }
});

test('an account gets its default server once, however many ask for it, and no other after its deletion', async () => {
  expect(await servers.hasHadDefault(ctx, 'defaults')).toBe(false);
  await Promise.all(Array.from({ length: 5 }, () => servers.insertDefault(ctx, 'defaults', fresh())));
  const { items } = await servers.list(ctx, 'defaults', { offset: 0, top: 100 });
  expect(items).toHaveLength(1);
  expect(await servers.hasHadDefault(ctx, 'defaults')).toBe(true);
  for (const server of items) await servers.delete(ctx, 'defaults', hashOf(server));
  await servers.insertDefault(ctx, 'defaults', fresh());
  expect((await servers.list(ctx, 'defaults', { offset: 0, top: 100 })).totalCount).toBe(0);
});

test('servers are listed newest first, in parts; the newer id comes first at the same time', async () => {
  const first = await insert('lists');
  const [low, high] = [uuidv7(), uuidv7()];
  const second = await insert('lists', { id: low, createdAt: NOW });
  const third = await insert('lists', { id: high, createdAt: NOW });
  const ids = [third, second, first].map(({ id }) => id);
  const listed = await servers.list(ctx, 'lists', { offset: 0, top: 100 });
  expect([listed.items.map(({ id }) => id), listed.totalCount]).toEqual([ids, 3]);
  const page = await servers.list(ctx, 'lists', { offset: 1, top: 1 });
  expect([page.items.map(({ id }) => id), page.totalCount]).toEqual([ids.slice(1, 2), 3]);
  const large = 'x'.repeat(200_000);
  for (let count = 0; count < 7; count += 1) await insert('parts', { workflowTokens: [large] });
  const part = await servers.list(ctx, 'parts', { offset: 0, top: 100 });
  expect(part.items.length).toBeLessThan(7);
  const rest = await servers.list(ctx, 'parts', { offset: 0, top: 100, after: part.next });
  expect(rest.items[0]?.id).not.toBe(part.items.at(-1)?.id);
});

test('uses are named and removed in every server of the account', async () => {
  const entry = (connectionId: number) => ({
    connectionId,
    applicationSlug: 'crm',
    tools: null,
    identity: 'shared' as const,
  });
  const one = await insert('uses', { name: 'One', connections: [entry(1), entry(2)] });
  const two = await insert('uses', { name: 'Two', connections: [entry(2)], workflowTokens: ['wf', 'other'] });
  const foreign = await insert('others', { connections: [entry(2)], workflowTokens: ['wf'] });
  expect(await servers.listUses(ctx, 'uses', { connectionId: 2 }, 10)).toEqual(['One', 'Two']);
  expect(await servers.listUses(ctx, 'uses', { connectionId: 2 }, 1)).toEqual(['One']);
  expect(await servers.listUses(ctx, 'uses', { workflowToken: 'wf' }, 10)).toEqual(['Two']);
  await servers.removeUses(ctx, 'uses', { connectionIds: [2, 9], workflowTokens: [] }, NOW);
  await servers.removeUses(ctx, 'uses', { connectionIds: [], workflowTokens: ['wf'] }, NOW);
  const left = { ...one, connections: [entry(1)], updatedAt: NOW };
  expect(plain(await servers.find(ctx, 'uses', hashOf(one)))).toEqual(plain(left));
  const emptied = { ...two, connections: [], workflowTokens: ['other'], updatedAt: NOW };
  expect(plain(await servers.find(ctx, 'uses', hashOf(two)))).toEqual(plain(emptied));
  expect(plain(await servers.find(ctx, 'others', hashOf(foreign)))).toEqual(plain(foreign));
  const members = { connectionIds: [2], workflowTokens: ['wf'] };
  expect(await servers.removeMembers(ctx, 'uses', foreign.id, members)).toBeUndefined();
  const pulled = await servers.removeMembers(ctx, 'others', foreign.id, members);
  expect(plain(pulled)).toEqual(plain({ ...foreign, connections: [], workflowTokens: [] }));
});

interface ProfileEntry {
  readonly op?: string;
  readonly planSummary?: string;
  readonly docsExamined?: number;
  readonly hasSortStage?: boolean;
}

test(`an account has at most ${MAX_SERVERS}; the list, a token and uses read an index only`, async () => {
  const accountId = 'many';
  const template = await insert(accountId);
  const [stored] = await store.collection(mcpServerCollection).find({ _id: template.id }).toArray();
  if (stored === undefined) throw new Error('the server is not stored');
  const sealer = testSealer(store);
  const documents = await Promise.all(
    Array.from({ length: MAX_SERVERS - 2 }, async (_, index) => {
      const _id = uuidv7();
      const connectionId = index + 100;
      return {
        ...stored,
        _id,
        tokenHash: `hash ${index}`,
        token: await sealer.seal(accountId, tokenBinding(_id), `mcp_${index}`),
        connections: [{ connectionId, applicationSlug: 'crm', tools: null, identity: 'shared' as const }],
      };
    }),
  );
  await store.collection(mcpServerCollection).insertMany(documents);
  const created = await Promise.allSettled([insert(accountId), insert(accountId)]);
  expect(created.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  await expect(insert(accountId)).rejects.toMatchObject({ code: 'CONFLICT' });

  const { db } = store;
  await db.command({ profile: 2 });
  const { totalCount } = await servers.list(ctx, accountId, { offset: 0, top: 5 });
  await servers.find(ctx, accountId, hashOf(template));
  await servers.locate(ctx, { tokenHash: hashOf(template) });
  await servers.listUses(ctx, accountId, { connectionId: 117 }, 10);
  await servers.listUses(ctx, accountId, { workflowToken: 'wf' }, 10);
  await servers.removeUses(ctx, accountId, { connectionIds: [117], workflowTokens: ['wf'] }, NOW);
  await servers.removeUses(ctx, accountId, { connectionIds: [118], workflowTokens: [] }, NOW);
  await db.command({ profile: 0 });
  expect(totalCount).toBe(MAX_SERVERS);
  const executed = await db
    .collection<ProfileEntry>('system.profile')
    .find({ planSummary: { $exists: true } })
    .toArray();
  expect(executed.length).toBeGreaterThanOrEqual(7);
  const reading = executed.filter(
    ({ planSummary = '', docsExamined = 0, hasSortStage = false }) =>
      planSummary.includes('COLLSCAN') || hasSortStage || docsExamined > 5,
  );
  expect(reading).toEqual([]);
});

test('a token that is copied to another server does not open there', async () => {
  const [one, two] = [await insert('copies'), await insert('copies')];
  const collection = store.collection(mcpServerCollection);
  const copied = await collection.findOne({ _id: one.id });
  if (copied === null) throw new Error('the server is not stored');
  await collection.updateOne({ _id: two.id }, { $set: { token: copied.token } });
  await expect(servers.find(ctx, 'copies', hashOf(two))).rejects.toThrow(SealingError);
  expect(plain(await servers.find(ctx, 'copies', hashOf(one)))).toEqual({
    ...one,
    token: one.token.reveal(),
  });
});
