import { ManualClock } from '@fairlead/service-kit/clock';
import { expect, test } from 'vitest';
import { contextOf } from '../testing/context-of.ts';
import { endToolsetKeys } from './end-toolset-keys.ts';

const NOW = new Date('2026-01-01T00:00:00Z');

test('the keys of a toolset of the caller’s account end now, and that is announced', async () => {
  const done: unknown[] = [];
  const apiKeys = {
    endOfToolset: (_ctx: unknown, ...ended: unknown[]) => Promise.resolve(void done.push(...ended)),
  };
  const changeIdentity = async <R>(accountId: string, write: () => Promise<R>): Promise<R> => {
    done.push(`announced ${accountId}`);
    return await write();
  };
  const deps = { apiKeys, changeIdentity, clock: new ManualClock(NOW) };
  await endToolsetKeys(deps, contextOf({ accountId: 'acc_1', userId: 'usr_1' }), 'toolset-1');
  expect(done).toEqual(['announced acc_1', 'acc_1', 'toolset-1', NOW]);
});
