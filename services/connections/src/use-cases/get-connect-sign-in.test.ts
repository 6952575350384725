import { expect, test } from 'vitest';
import { completedSignIn, OWNER } from '../testing/builders.ts';
import { sessionCalls } from '../testing/session-calls.ts';
import { getConnectSignIn } from './get-connect-sign-in.ts';

test('the sign-in is sought as one of the session that the call is bound to', async () => {
  const { deps, ctx } = sessionCalls();
  const asked: unknown[] = [];
  const signIn = completedSignIn();
  const find = (_ctx: unknown, owner: object, state: string) => {
    asked.push([owner, state]);
    return Promise.resolve(signIn);
  };
  expect(await getConnectSignIn({ ...deps, signIns: { find } }, ctx, signIn.state)).toBe(signIn);
  expect(asked).toMatchObject([[{ ...OWNER, connectSessionId: 'cs_1' }, signIn.state]]);
});
