import { ManualClock } from '@fairlead/service-kit/clock';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { expect, it, vi } from 'vitest';
import { outcomeOfError, outcomeOfStatus } from '../domain/outcome.ts';
import { settleAttempt } from '../domain/transition.ts';
import type { ClaimedDelivery, Settlement, SettlementResult } from '../ports/delivery-store.ts';
import { claimedDelivery, target } from '../testing/deliveries.ts';
import { performAttempt } from './perform-attempt.ts';
import type { PerformAttemptDeps } from './perform-attempt.ts';

const NOON = new Date('2026-11-22T12:00:00.000Z');

function world(o: Partial<PerformAttemptDeps> = {}) {
  const steps: string[] = [];
  const settled: Settlement[] = [];
  const clock = new ManualClock(NOON);
  const { log, lines } = captureLog();
  const deps: PerformAttemptDeps = {
    deliveries: {
      hold: () => Promise.resolve(steps.push('held') > 0),
      noteBegin: () => Promise.resolve(steps.push('noted') > 0),
      release: () => Promise.resolve(void steps.push('released')),
      renew() {
        steps.push('renewed');
        return Promise.resolve(true);
      },
    },
    settle(settlement) {
      settled.push(settlement);
      const { claimed, outcome, now } = settlement;
      return Promise.resolve({
        kind: 'settled',
        transition: settleAttempt(claimed, outcome, now),
        isDisabled: false,
      });
    },
    targets: { read: () => Promise.resolve(target()) },
    send(request) {
      steps.push(`sent ${String(request.attempt)}`);
      return Promise.resolve(outcomeOfStatus(200, 5));
    },
    metrics: { began: () => undefined, ended: (outcome) => void steps.push(outcome) },
    isStopping: () => false,
    clock,
    timers: {
      after(delayMs, run) {
        clock.advance(delayMs);
        queueMicrotask(run);
        return { cancel: () => undefined };
      },
    },
    log,
    ...o,
  };
  const perform = async (claimed: ClaimedDelivery = claimedDelivery()) => {
    const { request, written } = await performAttempt(deps, claimed, Buffer.from('{}'));
    await written;
    return request;
  };
  return { deps, make: perform, steps, settled, clock, lines };
}

const opened = (o: Partial<ClaimedDelivery['open']>): ClaimedDelivery =>
  claimedDelivery({ open: { ...claimedDelivery().open, ...o } });

it('sends and ends the attempt', async () => {
  const { make: perform, steps, settled } = world();
  expect(await perform()).toEqual({ isTimeout: false, durationMs: 5 });
  expect(steps).toEqual(['sent 1', 'delivered']);
  expect(settled).toMatchObject([{ outcome: { statusCode: 200 }, destination: { epoch: 0 }, now: NOON }]);
});

it('is over for its destination before its result is written', async () => {
  const settling = Promise.withResolvers<SettlementResult>();
  const { deps, steps } = world({ settle: () => settling.promise });
  const { written } = await performAttempt(deps, claimedDelivery(), Buffer.from('{}'));
  expect(steps).toEqual(['sent 1']);
  settling.resolve({ kind: 'fenced' });
  await written;
  expect(steps).toEqual(['sent 1', 'fenced']);
});

it.each([
  ['its destination is disabled', { targets: { read: () => Promise.resolve(target({ isEnabled: false })) } }],
  ['the process stops', { isStopping: () => true }],
])('waits while %s', async (_, o) => {
  const { make: perform, steps } = world(o);
  expect(await perform()).toBeUndefined();
  expect(steps).toEqual(['released']);
});

it('does not begin when too little of its claim is left for a request and its result', async () => {
  const read = vi.fn(() => Promise.resolve(target()));
  const { make: perform, steps, clock } = world({ targets: { read } });
  clock.advance(10_001);
  await perform();
  expect(steps).toEqual(['released']);
  expect(read).not.toHaveBeenCalled();
});

it.each([undefined, target({ accountId: 'acc_2' })])('ends without a destination', async (found) => {
  const { make: perform, settled, steps } = world({ targets: { read: () => Promise.resolve(found) } });
  expect(await perform()).toBeUndefined();
  expect(settled).toMatchObject([{ outcome: { verdict: 'refused', error: 'destination_deleted' } }]);
  expect(steps).toEqual(['deadLettered']);
});

it.each([
  ['disabled', target({ isEnabled: false }), ['released']],
  ['deleted', undefined, ['deadLettered']],
])('is not sent, but ends so, when its destination is %s while it connects', async (_, later, steps) => {
  const reads = [target(), later, later];
  const made = world({
    targets: { read: () => Promise.resolve(reads.shift()) },
    send: ({ renew }) => renew().then((found) => found && outcomeOfStatus(200, 1)),
  });
  expect(await made.make()).toBeUndefined();
  expect(made.steps).toEqual(steps);
});

it('is sent to its destination as it is by then', async () => {
  const reads = [target({ epoch: 1 }), target({ epoch: 2 })];
  const { make: perform, settled } = world({
    targets: { read: () => Promise.resolve(reads.shift()) },
    send: async ({ renew }) => {
      expect(await renew()).toMatchObject({ epoch: 2 });
      return outcomeOfStatus(200, 5);
    },
  });
  await perform();
  expect(settled).toMatchObject([{ outcome: { verdict: 'delivered' }, destination: { epoch: 1 } }]);
});

it('is held when its event is older than what its destination was enabled for, unless it was replayed', async () => {
  const read = () => Promise.resolve(target({ resumeFrom: new Date(NOON.getTime() + 1) }));
  const old = world({ targets: { read } });
  expect(await old.make()).toBeUndefined();
  expect(old.steps).toEqual(['held']);
  const overtaken = world({ targets: { read } });
  const hold = () => Promise.resolve(false);
  const deliveries = { ...overtaken.deps.deliveries, hold };
  await performAttempt({ ...overtaken.deps, deliveries }, claimedDelivery(), Buffer.from('{}'));
  expect(overtaken.steps).toEqual(['released']);
  const replayed = world({ targets: { read } });
  await replayed.make(opened({ cause: 'replay' }));
  expect(replayed.steps).toEqual(['sent 1', 'delivered']);
});

it('has failed once three workers were lost over it', async () => {
  const { make: perform, settled } = world();
  expect(await perform(opened({ lostClaims: 3 }))).toBeUndefined();
  expect(settled).toMatchObject([{ outcome: { verdict: 'retryable', error: 'worker_lost' } }]);
});

it('is noted before it is sent if it was taken over, and sent to its destination as it is then', async () => {
  const takenOver = opened({ claim: { ...claimedDelivery().open.claim, isTakenOver: true } });
  const one = world();
  await one.make(takenOver);
  expect(one.steps).toEqual(['noted', 'sent 1', 'delivered']);
  const reads = [target(), target({ isEnabled: false })];
  const disabled = world({ targets: { read: () => Promise.resolve(reads.shift()) } });
  expect(await disabled.make(takenOver)).toBeUndefined();
  expect(disabled.steps).toEqual(['noted', 'released']);
  const { deps } = world();
  const fenced = world({ deliveries: { ...deps.deliveries, noteBegin: () => Promise.resolve(false) } });
  expect(await fenced.make(takenOver)).toBeUndefined();
  expect(fenced.steps).toEqual([]);
});

it('is logged when it fails, with names and codes only', async () => {
  const { make: perform, lines } = world({ send: () => Promise.resolve(outcomeOfError('timeout', 10_000)) });
  expect(await perform()).toEqual({ isTimeout: true, durationMs: 10_000 });
  expect(lines()).toMatchObject([
    { msg: 'an attempt failed', eventId: 'te_1', destinationId: 'dst_1', attempt: 1, error: 'timeout' },
  ]);
});

it('writes its result again while its claim is in force, and drops it when somebody else has the claim', async () => {
  let failures = 2;
  const { make: perform, steps } = world({
    settle: () =>
      (failures -= 1) < 0 ? Promise.resolve({ kind: 'fenced' }) : Promise.reject(new Error('away')),
  });
  await perform();
  expect(steps).toEqual(['sent 1', 'fenced']);
});

it('leaves to others what it could not write before its claim ended', async () => {
  const { make: perform, steps, lines } = world({ settle: () => Promise.reject(new Error('away')) });
  await perform();
  expect(steps).toEqual(['sent 1', 'failed']);
  expect(lines()).toMatchObject([{ msg: 'an attempt could not be made or written' }]);
});

it('keeps its claim while its result is blocked by others', async () => {
  const {
    make: perform,
    steps,
    clock,
  } = world({
    settle: () =>
      Promise.resolve({ kind: clock.now() < new Date(NOON.getTime() + 60_000) ? 'blocked' : 'fenced' }),
  });
  await perform();
  expect(steps).toEqual(['sent 1', 'renewed', 'renewed', 'renewed', 'fenced']);
});

it('leaves to others a result that is blocked for minutes, or whose claim was lost meanwhile', async () => {
  const { make: perform, steps, clock } = world({ settle: () => Promise.resolve({ kind: 'blocked' }) });
  await perform();
  expect(steps.at(-1)).toBe('failed');
  expect(clock.now().getTime() - NOON.getTime()).toBeLessThan(6 * 60_000);
  const { deps } = world();
  const lost = world({
    settle: () => Promise.resolve({ kind: 'blocked' }),
    deliveries: { ...deps.deliveries, renew: () => Promise.resolve(false) },
  });
  await lost.make();
  expect(lost.steps).toEqual(['sent 1', 'failed']);
  expect(lost.clock.now()).toEqual(new Date(NOON.getTime() + 30_000));
});
