import { ManualClock } from '@fairlead/service-kit/clock';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ChangeSource } from '../ports/changes.ts';
import { connectionChange } from '../testing/changes.ts';
import { MADE_AT } from '../testing/triggers.ts';
import { startChangeFollower } from './change-follower.ts';

const SOON = { timeout: 90_000 };
const DAY_MS = 24 * 60 * 60_000;

/** A change log that counts reads; it has one change from the second read on. */
function countedSource<T>(name: string, change: T): ChangeSource<T> & { readonly reads: () => number } {
  let reads = 0;
  return {
    name,
    reads: () => reads,
    read(_ctx, cursor) {
      reads += 1;
      const changes = reads === 2 ? [change] : [];
      return Promise.resolve({ changes, nextCursor: `${cursor}+`, hasMore: false });
    },
  };
}

test('a hint has the changes of its service looked at at once, and what is kept is told', async () => {
  const connections = countedSource('connections', connectionChange());
  const deletion = { accountId: 'acc_1', destinationId: 'dst_1' };
  const destinations = countedSource('delivery', deletion);
  const kept = Promise.withResolvers<void>();
  const lease = { hold: () => Promise.resolve(true), release: () => Promise.resolve() };
  const removed: (readonly string[])[] = [];
  const follower = startChangeFollower({
    connectionChanges: connections,
    destinationDeletions: destinations,
    leases: { connections: lease, destinations: lease },
    changes: {
      cursor: () => Promise.resolve(''),
      advance: () => Promise.resolve(),
      accountsWithTriggers: (ids) => Promise.resolve(new Set(ids)),
    },
    triggers: {
      disableUses: () => Promise.resolve(),
      removeDestinations(_ctx, _accountId, ids) {
        removed.push(ids);
        return Promise.resolve();
      },
    },
    webhooks: { schedule: () => Promise.resolve() },
    onKept: kept.resolve,
    clock: new ManualClock(MADE_AT),
    log: captureLog().log,
    everyMs: DAY_MS,
  });
  onTestFinished(() => follower.close());
  await vi.waitUntil(() => connections.reads() === 1 && destinations.reads() === 1, SOON);
  follower.wake('connections');
  await kept.promise;
  expect([connections.reads(), destinations.reads()]).toEqual([2, 1]);
  follower.wake('identity');
  follower.wake('delivery');
  await vi.waitUntil(() => removed.length === 1, SOON);
  expect([removed, connections.reads()]).toEqual([[['dst_1']], 2]);
});
