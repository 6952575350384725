import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { connection, connectSession } from '../testing/builders.ts';
import { sessionCalls } from '../testing/session-calls.ts';
import { findRenewedConnection } from './find-renewed-connection.ts';

test('the connection to renew is found if it is the end user’s', async () => {
  const renewing = connectSession({ connectionId: 7 });
  const found = await findRenewedConnection(sessionCalls().deps, testContext(), renewing);
  expect(found?.id).toBe(7);
  expect(await findRenewedConnection(sessionCalls().deps, testContext(), connectSession())).toBeUndefined();
  for (const endUserId of ['customer-2', null]) {
    const { deps } = sessionCalls({}, { held: connection({ id: 7, endUserId }) });
    await expect(findRenewedConnection(deps, testContext(), renewing)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  }
});
