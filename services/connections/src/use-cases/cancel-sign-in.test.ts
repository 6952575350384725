import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { NOW, signInHead } from '../testing/builders.ts';
import { cancelSignIn } from './cancel-sign-in.ts';

function depsWith(isPending: boolean) {
  const asked: unknown[] = [];
  const cancel = (_ctx: unknown, ...given: unknown[]) => {
    asked.push(given);
    return Promise.resolve(isPending);
  };
  return { asked, deps: { signIns: { cancel }, clock: new ManualClock(NOW) } };
}

test('a pending sign-in ends, with a reason for the caller who polls', async () => {
  const { state } = signInHead();
  const { asked, deps } = depsWith(true);
  await cancelSignIn(deps, testContext(), state);
  expect(asked).toEqual([[state, 'the person who was asked cancelled it', NOW]]);
});

test('a state that is not pending, or not a state at all, is OAUTH_STATE_EXPIRED', async () => {
  const { asked, deps } = depsWith(false);
  for (const given of [signInHead().state, 'x', ''])
    await expect(cancelSignIn(deps, testContext(), given)).rejects.toMatchObject({
      code: 'OAUTH_STATE_EXPIRED',
    });
  expect(asked).toHaveLength(1);
});
