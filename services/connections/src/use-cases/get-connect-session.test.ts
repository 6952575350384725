import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { NOW, OWNER } from '../testing/builders.ts';
import { sessionCalls } from '../testing/session-calls.ts';
import { getConnectSession } from './get-connect-session.ts';

test('one whose opener has ended reads as ended', async () => {
  const { deps, session } = sessionCalls({}, { isOpenerThere: false });
  expect(await getConnectSession(deps, testContext(OWNER), 'cs_1')).toEqual({
    ...session,
    endedAt: NOW,
    endedBy: 'account',
  });
});

test('a session of the account is found, also if it is over; another account’s is NOT_FOUND', async () => {
  const { deps, session } = sessionCalls({ expiresAt: NOW });
  expect(await getConnectSession(deps, testContext(OWNER), 'cs_1')).toBe(session);
  await expect(getConnectSession(deps, testContext(), 'cs_1')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
