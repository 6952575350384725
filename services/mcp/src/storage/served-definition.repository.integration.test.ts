import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { guid } from '@fairlead/service-kit/ids';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { ServedDefinition } from '../domain/changed-tools.ts';
import type { ServedDefinitions, ServerName } from '../ports/served-definitions.ts';
import { memoryDefinitions } from '../testing/memory-definitions.ts';
import { schema } from './schema.ts';
import { createServedDefinitionRepository } from './served-definition.repository.ts';

const ctx = testContext();
const NOW = new Date('2026-11-28T13:00:00.000Z');

let store: MongoStore & { drop(): Promise<void> };
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), schema.collections);
});
afterAll(() => store.drop());

const definition = (fingerprint: string) => ({ upstreamName: 'Send', fingerprint });
const served = (toolSlug: string, fingerprint = 'a'): ServedDefinition => ({
  applicationSlug: 'mcp-8',
  toolSlug,
  definition: definition(fingerprint),
});
const changed = (toolSlug: string, fingerprint: string) => ({
  applicationSlug: 'mcp-8',
  toolSlug,
  changed: { ...definition(fingerprint), at: NOW },
});
const nothing = { added: [], changed: [], restored: [] };

describe.each<[string, () => ServedDefinitions]>([
  ['MongoDB', () => createServedDefinitionRepository(store)],
  ['memory', memoryDefinitions],
])('in %s', (_name, open) => {
  const server = (): ServerName => ({ accountId: guid(), serverId: guid() });
  const read = async (definitions: ServedDefinitions, of: ServerName) =>
    (await definitions.list(ctx, of)).map(({ id: _id, ...same }) => same);

  test('definitions are those of one server of one account', async () => {
    const definitions = open();
    const of = server();
    await definitions.save(ctx, of, { ...nothing, added: [served('send')] }, NOW);
    expect(await read(definitions, of)).toEqual([served('send')]);
    expect(await read(definitions, { ...of, serverId: guid() })).toEqual([]);
    expect(await read(definitions, { ...of, accountId: guid() })).toEqual([]);
    await definitions.remove(ctx, { ...of, accountId: guid() });
    expect(await read(definitions, of)).toHaveLength(1);
  });

  test('the first definition of a tool stays, also of two that come at once', async () => {
    const definitions = open();
    const of = server();
    const add = (fingerprint: string) =>
      definitions.save(ctx, of, { ...nothing, added: [served('send', fingerprint)] }, NOW);
    await Promise.all([add('a'), add('a')]);
    await add('b');
    expect(await read(definitions, of)).toEqual([served('send', 'a')]);
  });

  test('a change is stored, taken back and accepted, unless the tool has changed again', async () => {
    const definitions = open();
    const of = server();
    await definitions.save(ctx, of, { ...nothing, added: [served('send'), served('list')] }, NOW);
    const change = changed('send', 'b');
    await definitions.save(ctx, of, { ...nothing, changed: [change] }, NOW);
    expect(await read(definitions, of)).toContainEqual({ ...served('send'), changed: change.changed });
    await definitions.save(ctx, of, { ...nothing, restored: [change] }, NOW);
    expect(await read(definitions, of)).toContainEqual(served('send'));
    await definitions.save(ctx, of, { ...nothing, changed: [changed('send', 'c')] }, NOW);
    await definitions.accept(ctx, of, [change]);
    expect(await read(definitions, of)).toContainEqual({
      ...served('send'),
      changed: changed('send', 'c').changed,
    });
    await definitions.accept(ctx, of, [changed('send', 'c')]);
    expect(await read(definitions, of)).toEqual(
      expect.arrayContaining([served('send', 'c'), served('list')]),
    );
  });

  test('some are removed, or all', async () => {
    const definitions = open();
    const of = server();
    await definitions.save(ctx, of, { ...nothing, added: ['a', 'b', 'c'].map((it) => served(it)) }, NOW);
    const [first] = await definitions.list(ctx, of);
    await definitions.remove(ctx, of, [first?.id ?? '']);
    expect(await definitions.list(ctx, of)).toHaveLength(2);
    await definitions.remove(ctx, of);
    expect(await definitions.list(ctx, of)).toEqual([]);
  });
});
