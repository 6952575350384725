import { onePermit } from '@fairlead/service-kit/testing/permits';
import { expect, test } from 'vitest';
import { signInAddresses } from '../domain/sign-in-addresses.ts';
import type { RedeemableSignIn } from '../domain/sign-in.ts';
import { sessionCalls } from '../testing/session-calls.ts';
import { signInWithinSession } from './sign-in-within-session.ts';

function world(...o: Parameters<typeof sessionCalls>) {
  const calls = sessionCalls(...o);
  const stored: RedeemableSignIn[] = [];
  const deps = {
    ...calls.deps,
    signIns: {
      insert: (_ctx: unknown, signIn: RedeemableSignIn) => {
        stored.push(signIn);
        return Promise.resolve();
      },
      bind: (_ctx: unknown, { connectSessionId }: { connectSessionId: string | null }) =>
        Promise.resolve(stored.find((signIn) => signIn.connectSessionId === connectSessionId)),
    },
    tokenClient: {
      authorizationUrl: () => 'https://vendor.example/auth',
      expectedIssuer: () => null,
      pushAuthorization: () => Promise.reject(new Error('not pushed')),
      exchangeCode: () => Promise.reject(new Error('not asked')),
    },
    mcpSignIns: {
      discover: () => Promise.reject(new Error('no MCP server')),
      register: () => Promise.reject(new Error('no MCP server')),
    },
    vendorPermits: onePermit(),
    addresses: signInAddresses('https://api.example'),
  };
  const start = (authenticationId = 0) =>
    signInWithinSession(deps, calls.ctx, { applicationSlug: 'crm', authenticationId, fields: {} });
  return { ...calls, start, stored };
}

test('the sign-in belongs to the session, is one of its newest, and is bound to the browser at once', async () => {
  const { start, stored, session, written } = world();
  const { state, authorizeUrl, browserBinding } = await start();
  expect(authorizeUrl).toBe('https://vendor.example/auth');
  expect(browserBinding.reveal()).toHaveLength(43);
  expect(stored).toMatchObject([{ state, connectSessionId: session.id, accountId: session.accountId }]);
  expect(written).toEqual([['addSignIn', session.accountId, session.id, state]]);
});

test('an end user without a place, and a method that is not offered, start none', async () => {
  const full = world({ maxConnections: 1 }, { count: 1 });
  await expect(full.start()).rejects.toMatchObject({ code: 'CONFLICT' });
  const renewing = world({ connectionId: 7, maxConnections: 1 }, { count: 1 });
  await expect(renewing.start(1)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  expect([...full.stored, ...renewing.stored]).toEqual([]);
  await renewing.start();
  expect(renewing.stored).toHaveLength(1);
});
