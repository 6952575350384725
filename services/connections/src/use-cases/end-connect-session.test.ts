import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { NOW, OWNER } from '../testing/builders.ts';
import { sessionCalls } from '../testing/session-calls.ts';
import { endConnectSession } from './end-connect-session.ts';

test('the account ends its session; an unknown one is NOT_FOUND', async () => {
  const { deps, written } = sessionCalls();
  await endConnectSession(deps, testContext(OWNER), 'cs_1');
  expect(written).toEqual([['end', OWNER.accountId, 'cs_1', 'account', NOW]]);
  await expect(endConnectSession(deps, testContext(OWNER), 'cs_2')).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});
