import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { OWNER } from '../testing/builders.ts';
import { addNeededScopes } from './add-needed-scopes.ts';

async function addScopes(scopes: readonly string[]): Promise<unknown[]> {
  const calls: unknown[] = [];
  const connections = {
    addNeededScopes: (_ctx: unknown, ...call: unknown[]) => {
      calls.push(call);
      return Promise.resolve();
    },
  };
  await addNeededScopes({ connections }, testContext(OWNER), 7, scopes);
  return calls;
}

test('scopes are recorded once each, at most 50, at the connection of the account', async () => {
  expect(await addScopes(['read', 'write', 'read'])).toEqual([
    [OWNER.accountId, 7, { scopes: ['read', 'write'], most: 50 }],
  ]);
});

test('no scopes, and one that is too long, are not recorded', async () => {
  expect([...(await addScopes([])), ...(await addScopes(['s'.repeat(257)]))]).toEqual([]);
});
