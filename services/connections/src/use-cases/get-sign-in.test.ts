import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { SignIn } from '../domain/sign-in.ts';
import type { SignInStore } from '../ports/sign-in-store.ts';
import { completedSignIn, NOW, OWNER, signInHead } from '../testing/builders.ts';
import { getSignIn } from './get-sign-in.ts';

const ctx = testContext(OWNER);

function depsWith(signIn: SignIn | undefined) {
  const find: SignInStore['find'] = (_ctx, { accountId, userId }, state, now) => {
    const isTheirs = accountId === OWNER.accountId && userId === OWNER.userId;
    const isCurrent = now.getTime() === NOW.getTime() && state === signInHead().state;
    return Promise.resolve(isTheirs && isCurrent ? signIn : undefined);
  };
  return { signIns: { find }, clock: new ManualClock(NOW) };
}

test('a pending sign-in is undefined, a completed one is returned', async () => {
  const { state } = signInHead();
  expect(await getSignIn(depsWith({ ...signInHead(), status: 'pending' }), ctx, state)).toBeUndefined();
  const completed = completedSignIn();
  expect(await getSignIn(depsWith(completed), ctx, state)).toBe(completed);
});

test('a failed one is OAUTH_SIGN_IN_FAILED with its reason', async () => {
  const failed: SignIn = { ...signInHead(), status: 'failed', reason: 'access_denied' };
  await expect(getSignIn(depsWith(failed), ctx, failed.state)).rejects.toMatchObject({
    code: 'OAUTH_SIGN_IN_FAILED',
    message: 'The sign-in failed: access_denied',
  });
});

test('an unknown state, another user’s state and a text that is not a state are OAUTH_STATE_EXPIRED', async () => {
  const { state } = signInHead();
  const expired = { code: 'OAUTH_STATE_EXPIRED' };
  await expect(getSignIn(depsWith(undefined), ctx, state)).rejects.toMatchObject(expired);
  await expect(getSignIn(depsWith(completedSignIn()), testContext(), state)).rejects.toMatchObject(expired);
  const unread = {
    signIns: { find: () => Promise.reject(new Error('asked')) },
    clock: new ManualClock(NOW),
  };
  await expect(getSignIn(unread, ctx, 'x')).rejects.toMatchObject(expired);
});
