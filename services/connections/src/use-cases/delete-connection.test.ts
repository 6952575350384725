import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { Connection } from '../domain/connection.ts';
import { connection, NOW, OWNER } from '../testing/builders.ts';
import { deleteConnection } from './delete-connection.ts';

const ctx = testContext(OWNER);

/** One stored connection; records writes in order. */
function depsWith(stored: Connection | undefined, o: { readonly isGoneMeanwhile?: boolean } = {}) {
  const writes: string[] = [];
  return {
    writes,
    deps: {
      clock: new ManualClock(NOW),
      catalog: {
        deleteApplication: (_ctx: unknown, slug: string) => {
          writes.push(`application ${slug}`);
          return Promise.resolve();
        },
      },
      connections: {
        find: (_ctx: unknown, accountId: string, id: number) =>
          Promise.resolve(stored?.accountId === accountId && stored.id === id ? stored : undefined),
        delete: (_ctx: unknown, accountId: string, id: number) => {
          writes.push(`connection ${accountId}/${id}`);
          return Promise.resolve(o.isGoneMeanwhile !== true);
        },
      },
    },
  };
}

test('a connection is deleted; the catalogue is not called', async () => {
  const { deps, writes } = depsWith(connection());
  await deleteConnection(deps, ctx, 7);
  expect(writes).toEqual(['connection acc_1/7']);
});

test('the application of an MCP connection is deleted before it, so that a crash leaves what can be deleted, and again after it', async () => {
  const { deps, writes } = depsWith(connection({ kind: 'MCPClient', applicationSlug: 'mcp-7' }));
  await deleteConnection(deps, ctx, 7);
  expect(writes).toEqual(['application mcp-7', 'connection acc_1/7', 'application mcp-7']);
});

test('an unknown connection is NOT_FOUND and nothing is written; one that another call deleted first is NOT_FOUND too', async () => {
  const unknown = depsWith(undefined);
  await expect(deleteConnection(unknown.deps, ctx, 7)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(unknown.writes).toEqual([]);
  const late = depsWith(connection(), { isGoneMeanwhile: true });
  await expect(deleteConnection(late.deps, ctx, 7)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
