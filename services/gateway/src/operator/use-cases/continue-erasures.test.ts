import { ApiError } from '@fairlead/errors/api-error';
import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { Erasure } from '../domain/erasure.ts';
import { continueErasures } from './continue-erasures.ts';
import type { ContinueErasuresDeps } from './continue-erasures.ts';

const NOW = new Date('2026-11-21T10:00:00.000Z');

function setUp(o: { readonly due: readonly string[]; readonly failing?: string; onClaim?: () => void }) {
  const due = o.due.map((accountId): Erasure => ({
    accountId,
    state: 'erased',
    requestedAt: NOW,
    erasedAt: NOW,
    sweepCount: 0,
    nextAt: NOW,
  }));
  const claims: unknown[] = [];
  const saved: string[] = [];
  const postponed: string[] = [];
  const deps: ContinueErasuresDeps = {
    erasures: {
      claimDue(claim) {
        claims.push(claim);
        o.onClaim?.();
        return Promise.resolve(due.shift());
      },
      save({ accountId }) {
        saved.push(accountId);
        return Promise.resolve();
      },
      postpone(accountId) {
        postponed.push(accountId);
        return Promise.resolve();
      },
    },
    identity: {
      closeAccount: () => Promise.resolve(),
      data: {
        name: 'identity',
        async *read() {},
        erase: (_ctx, accountId) =>
          accountId === o.failing
            ? Promise.reject(new ApiError('UNAVAILABLE', 'Identity is unavailable.'))
            : Promise.resolve(true),
      },
    },
    domains: [],
    audit: { record: () => Promise.resolve() },
    clock: new ManualClock(NOW),
    sweeps: [60_000],
  };
  return { deps, claims, saved, postponed };
}

test('every erasure that is due is claimed for a minute and completed, until none is left', async () => {
  const { deps, claims, saved } = setUp({ due: ['acc_1', 'acc_2'] });
  await continueErasures(deps, testContext());
  expect(saved).toEqual(['acc_1', 'acc_2']);
  const claim = { now: NOW, until: new Date(NOW.getTime() + 60_000) };
  expect(claims).toEqual([claim, claim, claim]);
});

test('an erasure that fails is postponed and does not stop the next one', async () => {
  const { deps, saved, postponed } = setUp({ due: ['acc_1', 'acc_2'], failing: 'acc_1' });
  await continueErasures(deps, testContext());
  expect([postponed, saved]).toEqual([['acc_1'], ['acc_2']]);
});

test('no further erasure is claimed once the process stops', async () => {
  const stop = new AbortController();
  const { deps, saved } = setUp({ due: ['acc_1', 'acc_2'], onClaim: () => stop.abort() });
  await continueErasures(deps, { ...testContext(), signal: stop.signal });
  expect(saved).toEqual(['acc_1']);
});
