import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { NOW, OWNER } from '../testing/builders.ts';
import { sessionCalls } from '../testing/session-calls.ts';
import { useSession } from './use-session.ts';

test('an end user’s call acts for the opener with no right but that of using auth providers', async () => {
  for (const mayUseProviders of [true, false]) {
    const { deps, ctx, session } = sessionCalls({ mayUseProviders });
    const used = await useSession(deps, ctx);
    expect(used.session).toBe(session);
    const permissions = mayUseProviders ? ['authProviders.use'] : [];
    expect(used.opener.caller).toEqual({ kind: 'user', ...OWNER, roles: [], permissions });
  }
});

test('a session that is over, or another end user’s, is NOT_FOUND; any other caller UNAUTHORIZED', async () => {
  for (const over of [{ endedAt: NOW }, { expiresAt: NOW }]) {
    const { deps, ctx } = sessionCalls(over);
    await expect(useSession(deps, ctx)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  }
  const { deps } = sessionCalls();
  const { accountId } = OWNER;
  for (const caller of [
    { kind: 'endUserSession', accountId, endUserId: 'customer-2', sessionId: 'cs_1' },
    { kind: 'endUserSession', accountId: 'acc_2', endUserId: 'customer-1', sessionId: 'cs_1' },
  ] as const)
    await expect(useSession(deps, testContext({ caller }))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(useSession(deps, testContext(OWNER))).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});
