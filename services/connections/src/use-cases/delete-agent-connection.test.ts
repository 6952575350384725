import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { connection, NOW, OWNER } from '../testing/builders.ts';
import { deleteAgentConnection } from './delete-agent-connection.ts';

test('the connection of a creation is deleted, and one that is gone needs nothing', async () => {
  const deleted: number[] = [];
  const deps = {
    connections: {
      findOfAgent: (_ctx: unknown, accountId: string, creationId: string) =>
        Promise.resolve(
          accountId === OWNER.accountId && creationId === 'c1' ? connection({ id: 7 }) : undefined,
        ),
      delete(_ctx: unknown, _account: string, id: number) {
        deleted.push(id);
        return Promise.resolve(true);
      },
    },
    clock: new ManualClock(NOW),
  };
  await deleteAgentConnection(deps, testContext(OWNER), 'c1');
  await deleteAgentConnection(deps, testContext(OWNER), 'c2');
  await deleteAgentConnection(deps, testContext({ ...OWNER, accountId: 'other' }), 'c1');
  expect(deleted).toEqual([7]);
});
