import { ApiError, notFound } from '@fairlead/errors/api-error';
import { ManualClock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { AuditEvent } from '@fairlead/audit-log/domain/event';
import type { AccountDomain } from '../ports/account-domain.ts';
import { accountErasureCollection } from '../storage/account-erasure.collection.ts';
import { accountErasureRepository } from '../storage/account-erasure.repository.ts';
import { continueErasures } from './continue-erasures.ts';
import type { ContinueErasuresDeps } from './continue-erasures.ts';
import { eraseAccount } from './erase-account.ts';
import type { EraseAccountDeps } from './erase-account.ts';

const NOW = new Date('2026-11-21T10:00:00.000Z');
const MINUTE = 60_000;
const SWEEPS = [5 * MINUTE, 24 * 60 * MINUTE];
const ctx: RequestContext = testContext({ caller: { kind: 'service', service: 'gateway' } });

let store: MongoStore & { drop(): Promise<void> };
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [accountErasureCollection]);
});
beforeEach(async () => {
  await store.collection(accountErasureCollection).deleteMany({});
});
afterAll(() => store.drop());

/** A platform of two domains with rows of accounts; a domain in `away` is unavailable. */
function platform() {
  const steps: string[] = [];
  const events: AuditEvent[] = [];
  const accounts = new Set(['acc_1']);
  const rows = new Map<string, number>();
  const away = new Set<string>();
  const clock = new ManualClock(NOW);

  const domain = (name: string): AccountDomain => ({
    name,
    async *read() {},
    erase(_ctx, accountId) {
      if (away.has(name)) return Promise.reject(new ApiError('UNAVAILABLE', `${name} is unavailable.`));
      steps.push(name);
      const left = Math.max(0, (rows.get(`${name} ${accountId}`) ?? 0) - 10);
      rows.set(`${name} ${accountId}`, left);
      return Promise.resolve(left === 0);
    },
  });
  const need = (accountId: string): Promise<object> =>
    accounts.has(accountId) ? Promise.resolve({ id: accountId }) : Promise.reject(notFound('account'));
  const deps: EraseAccountDeps & ContinueErasuresDeps = {
    erasures: accountErasureRepository(store),
    identity: {
      getAccount: (_ctx, accountId) => need(accountId),
      async closeAccount(_ctx, accountId) {
        await need(accountId);
        steps.push('closed');
      },
      data: {
        name: 'identity',
        async *read() {},
        erase(_ctx, accountId) {
          accounts.delete(accountId);
          steps.push('identity');
          return Promise.resolve(true);
        },
      },
    },
    domains: [domain('a'), domain('b')],
    audit: {
      record(event) {
        events.push(event);
        return Promise.resolve();
      },
    },
    clock,
    sweeps: SWEEPS,
  };
  return {
    steps,
    events,
    rows,
    away,
    clock,
    erase: () => eraseAccount(deps, ctx, 'acc_1'),
    resume: () => continueErasures(deps, ctx),
    stored: () => store.collection(accountErasureCollection).findOne({ _id: 'acc_1' }),
  };
}

describe('erasing an account', () => {
  test('closes it first, asks every domain until nothing is left, and takes identity last', async () => {
    const { erase, rows, steps, stored, events } = platform();
    rows.set('a acc_1', 25);
    await erase();
    expect([steps[0], steps.at(-1)]).toEqual(['closed', 'identity']);
    expect(steps.filter((step) => step === 'a')).toHaveLength(3);
    expect(await stored()).toEqual({
      _id: 'acc_1',
      state: 'erased',
      requestedAt: NOW,
      erasedAt: NOW,
      sweepCount: 0,
      nextAt: new Date(NOW.getTime() + 5 * MINUTE),
    });
    expect(events).toMatchObject([
      { accountId: undefined, action: 'accountErased', resource: { type: 'account', id: 'acc_1' } },
    ]);
  });

  test('is NOT_FOUND for an account that does not exist, and for one that is gone', async () => {
    const { erase, stored } = platform();
    await erase();
    const before = await stored();
    await expect(erase()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await stored()).toEqual(before);
    await store.collection(accountErasureCollection).deleteMany({});
    await expect(erase()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await stored()).toBeNull();
  });

  test('if a domain is unavailable, the others are erased, the account stays closed, and a second call completes the erasure', async () => {
    const { erase, away, rows, steps, stored, events } = platform();
    rows.set('b acc_1', 5);
    away.add('a');
    await expect(erase()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(rows.get('b acc_1')).toBe(0);
    expect(steps).toEqual(['closed', 'b']);
    expect(await stored()).toMatchObject({ state: 'erasing', erasedAt: null });
    expect(events).toEqual([]);
    away.clear();
    await erase();
    expect(steps.at(-1)).toBe('identity');
    expect((await stored())?.state).toBe('erased');
  });

  test('resumes by itself after a failure, once it is due', async () => {
    const { erase, resume, away, clock, stored } = platform();
    away.add('b');
    await expect(erase()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    away.clear();
    await resume();
    expect((await stored())?.state).toBe('erasing');
    clock.advance(30_000);
    await resume();
    expect((await stored())?.state).toBe('erased');
  });

  test.each([
    ['before the account was closed', 'closed'],
    ['after identity was erased, before that was noted', 'identity'],
  ])('resumes by itself if its process was killed %s', async (_when, step) => {
    const { erase, resume, clock, steps, stored } = platform();
    if (step === 'identity') await erase();
    // The state in which `begin` leaves the erasure.
    await store.collection(accountErasureCollection).deleteMany({});
    await accountErasureRepository(store).begin('acc_1', {
      now: NOW,
      until: new Date(NOW.getTime() + MINUTE),
    });
    await resume();
    expect((await stored())?.state).toBe('erasing');
    clock.advance(MINUTE);
    await resume();
    expect([steps.at(-1), (await stored())?.state]).toEqual(['identity', 'erased']);
  });

  test('takes what a call wrote that was let in before, once it must have ended, and once more a day later', async () => {
    const { erase, resume, rows, clock, stored, events } = platform();
    await erase();
    rows.set('a acc_1', 3);
    await resume();
    expect(rows.get('a acc_1')).toBe(3);
    clock.advance(5 * MINUTE);
    await resume();
    expect([rows.get('a acc_1'), (await stored())?.sweepCount]).toEqual([0, 1]);
    rows.set('b acc_1', 3);
    clock.advance(24 * 60 * MINUTE);
    await resume();
    expect([rows.get('b acc_1'), (await stored())?.nextAt]).toEqual([0, null]);
    clock.advance(365 * 24 * 60 * MINUTE);
    await resume();
    expect((await stored())?.sweepCount).toBe(2);
    expect(events).toHaveLength(1);
  });
});
