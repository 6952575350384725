import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import type { ServerWithToken } from '../../domain/mcp-server.ts';
import { references } from '../../testing/deps.ts';
import { listServers } from './list-servers.ts';

it('lists the account’s servers, the default one from the first call on', async () => {
  const stored: ServerWithToken[] = [];
  const asked: unknown[] = [];
  const deps = {
    clock: references().clock,
    servers: {
      hasHadDefault: () => Promise.resolve(stored.length > 0),
      insertDefault(_ctx: unknown, _account: string, server: ServerWithToken) {
        stored.push(server);
        return Promise.resolve();
      },
      list(_ctx: unknown, ...of: unknown[]) {
        asked.push(of);
        return Promise.resolve({ items: stored, totalCount: stored.length });
      },
    },
  };
  const page = { offset: 3, top: 7 };
  const listed = await listServers(deps, testContext({ accountId: 'acc_1' }), page);
  expect(listed.items.map(({ name }) => name)).toEqual(['Default']);
  expect(asked).toEqual([['acc_1', page]]);
});
