import { expect, test } from 'vitest';
import { NOW } from '../testing/builders.ts';
import { sessionCalls } from '../testing/session-calls.ts';
import { cancelConnectSession } from './cancel-connect-session.ts';

test('the calling end user ends their own session', async () => {
  const { deps, ctx, session, written } = sessionCalls();
  expect((await cancelConnectSession(deps, ctx)).endedAt).toEqual(NOW);
  expect(written).toEqual([['end', session.accountId, session.id, 'endUser', NOW]]);
});
