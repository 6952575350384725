import { ManualClock } from '@fairlead/service-kit/clock';
import { confinedContext, testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { RETENTION_SECONDS } from '../../domain/execution.ts';
import type { History } from '../../ports/history.ts';
import { execution } from '../../testing/executions.ts';
import { getExecution } from './get-execution.ts';

const NOW = new Date('2026-11-21T12:00:00.000Z');
/** A history with one row, of the account acc_1. */
const history: Pick<History, 'find'> = {
  find(_ctx, accountId, { historyId, since, keyId }) {
    const row = execution({ createdAt: NOW });
    const isFound =
      accountId === 'acc_1' && historyId === row.historyId && row.createdAt >= since && keyId === undefined;
    return Promise.resolve(isFound ? row : undefined);
  },
};

function get(accountId: string, historyId: number, now = NOW) {
  return getExecution({ history, clock: new ManualClock(now) }, testContext({ accountId }), historyId);
}

test('a caller who is confined to an API key gets only what was made with it', async () => {
  const asked: (string | undefined)[] = [];
  const own: Pick<History, 'find'> = {
    find(_ctx, _accountId, { keyId }) {
      asked.push(keyId);
      return Promise.resolve(undefined);
    },
  };
  const ctx = confinedContext({ toolsetId: 'toolset-1', keyId: 'key_1' });
  const found = getExecution({ history: own, clock: new ManualClock(NOW) }, ctx, 1);
  await expect(found).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(asked).toEqual(['key_1']);
});

test('a row of the caller’s account is returned unchanged', async () => {
  expect(await get('acc_1', 1)).toEqual(execution({ createdAt: NOW }));
});

test('an unknown row, another account’s and one past its retention are the same NOT_FOUND', async () => {
  const kept = new Date(NOW.getTime() + RETENTION_SECONDS * 1_000);
  expect(await get('acc_1', 1, kept)).toMatchObject({ historyId: 1 });
  const over = new Date(kept.getTime() + 1);
  for (const call of [get('acc_1', 2), get('acc_2', 1), get('acc_1', 1, over)]) {
    await expect(call).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'The execution does not exist.',
    });
  }
});
