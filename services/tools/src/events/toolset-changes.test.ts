import { NatsUnavailableError } from '@fairlead/service-kit/nats/unavailable';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { announceToolsetChanges } from './toolset-changes.ts';
import type { AnnouncedStores } from './toolset-changes.ts';

const ctx = testContext();
const at = { id: 'ts_1', revision: 1 };
const workflow = { workflowToken: 'wf_1', slug: 'flow', revision: 1 };
const now = new Date();
const members = { connectionIds: [1], workflowTokens: [] };

/** Stores that record their writes in the same journal as the messages. */
function setUp(o: { readonly isAway?: boolean; readonly failure?: Error } = {}) {
  const journal: string[] = [];
  const write =
    <R>(name: string, result: R) =>
    async (): Promise<R> => {
      await Promise.resolve();
      journal.push(name);
      if (o.failure !== undefined) throw o.failure;
      return result;
    };
  const none = { items: [], totalCount: 0 };
  const { log, lines } = captureLog();
  const stores = announceToolsetChanges({
    toolsets: {
      insert: write('insert', undefined),
      find: write('find', undefined),
      list: write('list', none),
      update: write('update', undefined),
      removeMembers: write('removeMembers', undefined),
      delete: write('delete', true),
      listUses: write('listUses', []),
      removeUses: write('removeUses', undefined),
    },
    workflows: {
      insert: write('insert workflow', 'inserted'),
      find: write('find workflow', undefined),
      findBySlug: write('findBySlug', undefined),
      findSome: write('findSome', []),
      list: write('list workflows', none),
      update: write('update workflow', 'taken'),
      delete: write('delete workflow', { kind: 'deleted' }),
    },
    nats: {
      publish({ schema }, message) {
        if (o.isAway === true) return Promise.reject(new NatsUnavailableError('away'));
        journal.push(`${schema.name} ${JSON.stringify(message)}`);
        return Promise.resolve();
      },
    },
    log,
  });
  return { stores, journal, lines };
}

const MESSAGE = 'ToolsetChanged {"accountId":"acc_1"}';

test.each<[string, (stores: AnnouncedStores) => Promise<unknown>]>([
  ['update', ({ toolsets }) => toolsets.update(ctx, 'acc_1', at, {}, now)],
  ['removeMembers', ({ toolsets }) => toolsets.removeMembers(ctx, 'acc_1', at.id, members)],
  ['delete', ({ toolsets }) => toolsets.delete(ctx, 'acc_1', at.id)],
  ['removeUses', ({ toolsets }) => toolsets.removeUses(ctx, 'acc_1', [1], now)],
  ['update workflow', ({ workflows }) => workflows.update(ctx, 'acc_1', workflow, {}, now)],
  ['delete workflow', ({ workflows }) => workflows.delete(ctx, 'acc_1', 'wf_1', { isForced: true, now })],
])('%s is published before the write and after it, made or not', async (name, write) => {
  const { stores, journal } = setUp();
  await write(stores);
  expect(journal).toEqual([MESSAGE, name, MESSAGE]);
  const failing = setUp({ failure: new Error('refused') });
  await expect(write(failing.stores)).rejects.toThrow('refused');
  expect(failing.journal).toEqual([MESSAGE, name, MESSAGE]);
});

test('reading publishes nothing', async () => {
  const { stores, journal } = setUp();
  await stores.toolsets.find(ctx, 'acc_1', at.id);
  await stores.workflows.find(ctx, 'acc_1', 'wf_1');
  expect(journal).toEqual(['find', 'find workflow']);
});

test('without NATS the write is made all the same', async () => {
  const { stores, journal, lines } = setUp({ isAway: true });
  expect(await stores.toolsets.delete(ctx, 'acc_1', at.id)).toBe(true);
  expect(journal).toEqual(['delete']);
  await expect
    .poll(lines)
    .toMatchObject([
      { msg: 'cannot publish a change of a toolset' },
      { msg: 'cannot publish a change of a toolset' },
    ]);
});
