import type { Connector } from '@fairlead/connector-model/model';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { checkConnector } from '../connectors/check-connector.ts';
import { encodedConnector, testConnector, testTool } from '../testing/connectors.ts';
import type { AccountStore } from '../ports/account-store.ts';
import { accountApplicationCollection } from './account-application.collection.ts';
import { createAccountApplicationRepository } from './account-application.repository.ts';
import { accountRevisionCollection } from './account-revision.collection.ts';

let store: MongoStore & { drop(): Promise<void> };
let repository: AccountStore;
let accounts = 0;
let accountId: string;
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [accountApplicationCollection, accountRevisionCollection]);
  repository = createAccountApplicationRepository(store);
});
afterAll(() => store.drop());
beforeEach(() => {
  accounts += 1;
  accountId = `account-${String(accounts)}`;
});

const monday = new Date('2026-01-05T00:00:00.000Z');
const tuesday = new Date('2026-01-06T00:00:00.000Z');
const ctx = testContext();

const put = (connector: Connector, now: Date, isImport = false) =>
  repository.put(ctx, accountId, checkConnector(encodedConnector(connector)), now, { isImport });

async function list(): Promise<readonly [string, Date, Date][]> {
  const applications = (await repository.list(ctx, accountId, [])).map(({ application }) => application);
  return applications.map(({ connector, createdAt, updatedAt }) => [connector.name, createdAt, updatedAt]);
}

describe('account applications', () => {
  it('an import replaces none, and there are at most 100 imported ones', async () => {
    expect(await put(testConnector('mcp-1'), monday)).toMatchObject({ createdAt: monday });
    expect(await put(testConnector('mcp-1', { name: 'B' }), tuesday, true)).toBe('taken');
    for (let number = 0; number < 100; number += 1)
      expect(await put(testConnector(`own-${String(number)}`), monday, true)).toMatchObject({
        createdAt: monday,
      });
    expect(await put(testConnector('one-more'), monday, true)).toBe('full');
    await repository.remove(ctx, accountId, 'own-7');
    expect(await put(testConnector('one-more'), monday, true)).toMatchObject({ createdAt: monday });
    expect(await put(testConnector('mcp-2'), monday)).toMatchObject({ createdAt: monday });
  });

  it('are returned unchanged, including member names that MongoDB reserves', async () => {
    const schema = {
      type: 'object',
      $defs: { 'a.b': { $ref: '#' }, $where: { type: 'string' } },
    };
    const connector = testConnector('mcp-1', { tools: [testTool('t', { inputSchema: schema })] });
    await put(connector, monday);
    expect(await repository.list(ctx, accountId, [])).toMatchObject([
      { application: { owner: 'account', connector, createdAt: monday, updatedAt: monday } },
    ]);
  });

  it('keep their creation time when replaced, and everything when nothing changed', async () => {
    await put(testConnector('a'), monday);
    await put(testConnector('a', { name: 'B' }), tuesday);
    expect(await list()).toEqual([['B', monday, tuesday]]);
    const revision = await repository.revision(ctx, accountId);
    expect(await put(testConnector('a', { name: 'B' }), new Date('2026-02-01'))).toMatchObject({
      updatedAt: tuesday,
    });
    expect(await repository.revision(ctx, accountId)).toBe(revision);
  });

  it('have their tools parsed when these are first read, and once', async () => {
    const connector = testConnector('a', {
      tools: [testTool('t', { description: 'é,"tools":[]' }), testTool('u')],
    });
    await put(connector, monday);
    const read = (await repository.list(ctx, accountId, []))[0]?.application;
    expect([read?.toolCount, read?.connector.name]).toEqual([2, connector.name]);
    expect(read?.connector).toEqual(connector);
    expect(read?.connector.tools).toBe(read?.connector.tools);
  });

  it('are not built from more than their head until somebody reads the tools', async () => {
    await put(testConnector('a'), monday);
    const documents = store.collection(accountApplicationCollection);
    const { connector: text = '', head } = (await documents.findOne({ accountId })) ?? {};
    const unread = `${text.slice(0, head?.length)},no JSON`;
    await documents.updateOne({ accountId }, { $set: { connector: unread } });
    const read = (await repository.list(ctx, accountId, []))[0]?.application;
    expect(read?.connector.slug).toBe('a');
    expect(() => read?.connector.tools).toThrow(SyntaxError);
  });

  it('that an earlier release wrote, or replaced, are whole', async () => {
    const documents = store.collection(accountApplicationCollection);
    const tools = [testTool('t')];
    await put(testConnector('a', { tools }), monday);
    await documents.updateOne({ accountId }, { $unset: { head: '' } });
    const [before] = await repository.list(ctx, accountId, []);
    expect(before?.application).toMatchObject({ toolCount: 1, connector: { tools } });
    await put(testConnector('a', { tools, name: 'B' }), monday);
    // The earlier release keeps members that it does not know, and writes the others in its own order.
    const other = testConnector('a', { name: 'B', tools: [] });
    const replaced = { connector: JSON.stringify(other), updatedAt: tuesday };
    await documents.updateOne({ accountId }, { $set: replaced });
    const [after] = await repository.list(ctx, accountId, []);
    expect(after?.application).toMatchObject({ toolCount: 0, connector: { name: 'B', tools: [] } });
  });

  it('keep members that a newer release stored when this release replaces them', async () => {
    await put(testConnector('a'), monday);
    const documents = store.db.collection(accountApplicationCollection.name);
    await documents.updateOne({ accountId }, { $set: { ofANewerRelease: 7 } });
    await put(testConnector('a', { name: 'B' }), tuesday);
    expect(await documents.findOne({ accountId })).toMatchObject({ updatedAt: tuesday, ofANewerRelease: 7 });
  });

  it('are read again only if they have changed, even if they were changed back', async () => {
    for (const slug of ['a', 'b', 'c', 'd']) await put(testConnector(slug), monday);
    const known = await repository.list(ctx, accountId, []);
    await put(testConnector('b', { name: 'B' }), tuesday);
    await repository.remove(ctx, accountId, 'c');
    await put(testConnector('d', { name: 'D' }), monday);
    await put(testConnector('d'), tuesday);
    await put(testConnector('e'), tuesday);
    const now = await repository.list(ctx, accountId, known);
    expect(now[0]).toBe(known[0]);
    expect(now.map(({ application }) => [application.connector.name, application.updatedAt])).toEqual(
      (await list()).map(([name, , updatedAt]) => [name, updatedAt]),
    );
    expect(now).toHaveLength(4);
    expect(await repository.list(ctx, accountId, now)).toEqual(now);
  });

  it('raise the revision with every change, and only then', async () => {
    expect(await repository.revision(ctx, accountId)).toBe(0);
    await put(testConnector('a'), monday);
    expect(await repository.revision(ctx, accountId)).toBe(1);
    await repository.remove(ctx, accountId, 'a');
    await repository.remove(ctx, accountId, 'a');
    expect(await repository.revision(ctx, accountId)).toBe(2);
    expect(await list()).toEqual([]);
  });

  it('lose none of many concurrent changes', async () => {
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        put(testConnector(`app-${String(index % 4)}`, { name: String(index) }), monday),
      ),
    );
    expect(await list()).toHaveLength(4);
    expect(await repository.revision(ctx, accountId)).toBe(8);
  });

  it('belong to one account only', async () => {
    await put(testConnector('a'), monday);
    expect(await repository.list(ctx, 'another', [])).toEqual([]);
    expect(await repository.revision(ctx, 'another')).toBe(0);
    await repository.remove(ctx, 'another', 'a');
    expect(await list()).toHaveLength(1);
  });

  it('are found by an index', async () => {
    const find = store.collection(accountApplicationCollection).find({ accountId });
    expect(JSON.stringify(await find.explain('queryPlanner'))).not.toContain('COLLSCAN');
  });
});
