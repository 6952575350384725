import { expect, test } from 'vitest';
import type { Caller } from '../context/caller.ts';
import { createConfigurableCanaries } from './canaries.ts';
import { createPeerCanaries } from './peer-canaries.ts';

const platform: Caller = { kind: 'service', service: 'gateway', clientAddress: '203.0.113.7' };
const account: Caller = { kind: 'serviceForAccount', service: 'connections', accountId: 'acc_1' };

/** The canary of tools, for all accounts. */
function peer() {
  const canaries = createConfigurableCanaries();
  canaries.follow({ isRead: () => true, of: () => undefined, subscribe: () => () => undefined });
  canaries.setRules(
    new Map([['tools', { mode: 'gateway', weight: 100, accounts: [], headers: [], salt: 's' }]]),
  );
  return createPeerCanaries('tools', [], canaries);
}

test('a caller without an account goes to stable, and leaves the choice to the service that learns the account', () => {
  expect(peer().choose({ caller: platform })).toEqual({ canaries: undefined, track: 'stable' });
  expect(peer().choose({ caller: account })).toEqual({ canaries: ['tools'], track: 'canary' });
});

test('a choice that was made holds, whoever calls', () => {
  expect(peer().choose({ caller: account, canaries: [] })).toEqual({ canaries: [], track: 'stable' });
  expect(peer().choose({ caller: platform, canaries: ['tools'] })).toEqual({
    canaries: ['tools'],
    track: 'canary',
  });
});
