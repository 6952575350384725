import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { SignInHead } from '../domain/sign-in.ts';
import { NOW, signInHead } from '../testing/builders.ts';
import { describeSignIn } from './describe-sign-in.ts';

function depsWith(found: SignInHead | undefined) {
  const asked: unknown[] = [];
  const findPending = (_ctx: unknown, ...query: unknown[]) => {
    asked.push(query);
    return Promise.resolve(found);
  };
  return { asked, deps: { signIns: { findPending }, clock: new ManualClock(NOW) } };
}

test('a pending sign-in is described, as often as it is asked for', async () => {
  const signIn = signInHead();
  const { asked, deps } = depsWith(signIn);
  expect(await describeSignIn(deps, testContext(), signIn.state)).toBe(signIn);
  expect(await describeSignIn(deps, testContext(), signIn.state)).toBe(signIn);
  expect(asked).toEqual([
    [signIn.state, NOW],
    [signIn.state, NOW],
  ]);
});

test('a state that is not pending, or not a state at all, is OAUTH_STATE_EXPIRED', async () => {
  const { asked, deps } = depsWith(undefined);
  for (const given of [signInHead().state, 'x', ''])
    await expect(describeSignIn(deps, testContext(), given)).rejects.toMatchObject({
      code: 'OAUTH_STATE_EXPIRED',
    });
  expect(asked).toHaveLength(1);
});
