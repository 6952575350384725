import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { startedCall } from '../../testing/started-calls.ts';
import { MemoryHistory } from '../../testing/tool-calls.ts';
import { recordUncalled } from './record-uncalled.ts';

test('a call whose vendor was not called has a row that says why, and shows none of its inputs', async () => {
  const history = new MemoryHistory();
  const ctx = testContext({ accountId: 'mine' });
  const result = await recordUncalled({ history }, ctx, startedCall(), 'Sign in again.');
  expect(result).toMatchObject({ historyId: 1, info: { attempts: 0 } });
  expect(history.rows.get(1)).toMatchObject({
    accountId: 'mine',
    fields: { name: '***' },
    outcome: { isSuccess: false, errorMessage: 'Sign in again.' },
    isSettled: true,
  });
});
