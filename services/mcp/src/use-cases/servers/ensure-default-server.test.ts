import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import type { ServerWithToken } from '../../domain/mcp-server.ts';
import { ensureDefaultServer } from './ensure-default-server.ts';

it('creates an active, empty server that is not anonymous for an account that has had none, and no other', async () => {
  const inserted: ServerWithToken[] = [];
  const clock = new ManualClock(new Date('2026-11-28T12:00:00.000Z'));
  const deps = {
    clock,
    servers: {
      hasHadDefault: () => Promise.resolve(inserted.length > 0),
      insertDefault(_ctx: unknown, _account: string, server: ServerWithToken) {
        inserted.push(server);
        return Promise.resolve();
      },
    },
  };
  await ensureDefaultServer(deps, testContext());
  await ensureDefaultServer(deps, testContext());
  expect(inserted).toHaveLength(1);
  expect(inserted[0]).toMatchObject({
    name: 'Default',
    isActive: true,
    isAnonymousAllowed: false,
    connections: [],
    workflowTokens: [],
    createdAt: clock.now(),
  });
});
