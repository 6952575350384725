import { ApiError, notFound } from '@fairlead/errors/api-error';
import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { Erasure } from '../domain/erasure.ts';
import type { AccountDomain } from '../ports/account-domain.ts';
import { attemptErasure } from './attempt-erasure.ts';
import type { AttemptErasureDeps } from './attempt-erasure.ts';

const NOW = new Date('2026-11-21T10:00:00.000Z');
const ctx = testContext();
const begun: Erasure = {
  accountId: 'acc_1',
  state: 'erasing',
  requestedAt: NOW,
  erasedAt: null,
  sweepCount: 0,
  nextAt: NOW,
};

/** A domain that reports each call and has nothing left after `calls` of them; 0: it is unavailable. */
function domain(steps: string[], name: string, calls = 1): AccountDomain {
  let left = calls;
  return {
    name,
    async *read() {},
    erase() {
      if (calls === 0) return Promise.reject(new ApiError('UNAVAILABLE', `${name} is unavailable.`));
      steps.push(name);
      left -= 1;
      return Promise.resolve(left <= 0);
    },
  };
}

function setUp(o: {
  readonly domains?: (steps: string[]) => readonly AccountDomain[];
  readonly closeAccount?: () => Promise<void>;
  readonly record?: () => Promise<void>;
}) {
  const steps: string[] = [];
  const saved: Erasure[] = [];
  const postponed: Date[] = [];
  const deps: AttemptErasureDeps = {
    erasures: {
      save(erasure) {
        steps.push('save');
        saved.push(erasure);
        return Promise.resolve();
      },
      postpone(_accountId, until) {
        steps.push('postpone');
        postponed.push(until);
        return Promise.resolve();
      },
    },
    identity: {
      closeAccount() {
        steps.push('close');
        return o.closeAccount?.() ?? Promise.resolve();
      },
      data: domain(steps, 'identity', 2),
    },
    domains: o.domains?.(steps) ?? [],
    audit: {
      record() {
        steps.push('audit');
        return o.record?.() ?? Promise.resolve();
      },
    },
    clock: new ManualClock(NOW),
    sweeps: [60_000],
  };
  return { deps, steps, saved, postponed };
}

test('the account is closed first, every domain is called until it is complete, identity last', async () => {
  const { deps, steps, saved } = setUp({ domains: (into) => [domain(into, 'rows', 3)] });
  await attemptErasure(deps, ctx, begun);
  expect(steps).toEqual(['close', 'rows', 'rows', 'rows', 'identity', 'identity', 'save', 'audit']);
  expect(saved).toMatchObject([{ state: 'erased', erasedAt: NOW, sweepCount: 0 }]);
});

test('a domain that fails does not stop the others; identity stays, the erasure is postponed by 30 s', async () => {
  const { deps, steps, saved, postponed } = setUp({
    domains: (into) => [domain(into, 'away', 0), domain(into, 'rows')],
  });
  await expect(attemptErasure(deps, ctx, begun)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(steps).toEqual(['close', 'rows', 'postpone']);
  expect(saved).toEqual([]);
  expect(postponed).toEqual([new Date(NOW.getTime() + 30_000)]);
});

test('a domain that waits for somebody else keeps none of the others waiting', async () => {
  const waiting = { name: 'triggers', async *read() {}, erase: () => new Promise<boolean>(() => {}) };
  const { deps, steps } = setUp({ domains: (into) => [waiting, domain(into, 'delivery')] });
  void attemptErasure(deps, ctx, begun);
  await expect.poll(() => steps).toEqual(['close', 'delivery']);
});

test('what others call applications by is erased after them, also if they fail', async () => {
  const used = (steps: string[]) => ({ ...domain(steps, 'connections'), isUsedByOthers: true });
  const { deps, steps } = setUp({ domains: (into) => [used(into), domain(into, 'triggers', 2)] });
  await attemptErasure(deps, ctx, begun);
  expect(steps.slice(0, 4)).toEqual(['close', 'triggers', 'triggers', 'connections']);
  const failing = setUp({ domains: (into) => [used(into), domain(into, 'triggers', 0)] });
  await expect(attemptErasure(failing.deps, ctx, begun)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(failing.steps).toEqual(['close', 'connections', 'postpone']);
});

test('an account that is gone already is erased all the same', async () => {
  const { deps, steps } = setUp({
    domains: (into) => [domain(into, 'rows')],
    closeAccount: () => Promise.reject(notFound('account')),
  });
  await attemptErasure(deps, ctx, begun);
  expect(steps).toEqual(['close', 'rows', 'identity', 'identity', 'save', 'audit']);
});

test('nothing is erased while the account cannot be closed', async () => {
  const { deps, steps } = setUp({
    domains: (into) => [domain(into, 'rows')],
    closeAccount: () => Promise.reject(new ApiError('UNAVAILABLE', 'Identity is unavailable.')),
  });
  await expect(attemptErasure(deps, ctx, begun)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(steps).toEqual(['close', 'postpone']);
});

test('a sweep erases once more, and neither closes the account nor records the erasure again', async () => {
  const { deps, steps, saved } = setUp({ domains: (into) => [domain(into, 'rows')] });
  await attemptErasure(deps, ctx, { ...begun, state: 'erased', erasedAt: NOW });
  expect(steps).toEqual(['rows', 'identity', 'identity', 'save']);
  expect(saved).toMatchObject([{ sweepCount: 1, nextAt: null }]);
});

test('a completed erasure stays completed where the audit log is unavailable', async () => {
  const { deps, steps, postponed } = setUp({
    record: () => Promise.reject(new ApiError('UNAVAILABLE', 'The audit log is unavailable.')),
  });
  await attemptErasure(deps, ctx, begun);
  expect(steps).toEqual(['close', 'identity', 'identity', 'save', 'audit']);
  expect(postponed).toEqual([]);
});
