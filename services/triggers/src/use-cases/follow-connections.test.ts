import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { ConnectionChange } from '../domain/connection-change.ts';
import { connectionChange, sourceOf } from '../testing/changes.ts';
import { MADE_AT } from '../testing/triggers.ts';
import { followConnections } from './follow-connections.ts';

test('changes of accounts with triggers are kept with the cursor, after uses of what was deleted were disabled', async () => {
  const steps: string[] = [];
  const deps = {
    clock: new ManualClock(MADE_AT),
    mayContinue: () => Promise.resolve(true),
    isCursorDue: () => true,
    source: sourceOf({
      '': {
        changes: [
          connectionChange({ id: 'chg_1' }),
          connectionChange({ id: 'chg_2', accountId: 'acc_none' }),
          connectionChange({ id: 'chg_3', triggerTypeSlug: 'connection_created', connectionId: 8 }),
          connectionChange({ id: 'chg_4', connectionId: 9 }),
        ],
        nextCursor: 'c1',
        hasMore: false,
      },
    }),
    changes: {
      cursor: () => Promise.resolve(undefined),
      advance(source: string, cursor: string, changes: readonly ConnectionChange[]) {
        steps.push(`${source} at ${cursor}: ${changes.map(({ id }) => id).join()}`);
        return Promise.resolve();
      },
      accountsWithTriggers: (ids: readonly string[]) =>
        Promise.resolve(new Set(ids.filter((id) => id !== 'acc_none'))),
    },
    triggers: {
      disableUses(_ctx: unknown, accountId: string, ids: readonly number[], reason: string) {
        steps.push(`disable ${accountId} ${ids.join()}: ${reason}`);
        return Promise.resolve();
      },
    },
    onKept: () => void steps.push('changes are kept'),
    webhooks: {
      schedule(_ctx: unknown, accountId: string, of: object) {
        steps.push(`look at ${accountId} ${JSON.stringify(of)}`);
        return Promise.resolve();
      },
    },
  };
  await followConnections(deps, testContext());
  expect(steps).toEqual([
    'disable acc_1 7,9: The connection of the trigger was deleted.',
    'look at acc_1 {"connectionIds":[7,9]}',
    'peer at c1: chg_1,chg_3,chg_4',
    'changes are kept',
  ]);
});
