import type { ClientSession, Collection } from 'mongodb';
import type { Clock } from '@fairlead/service-kit/clock';
import type { CountStateDocument } from './checkpoint.collection.ts';
import type { TimedIds } from './timed-ids.ts';

/** A row that a write concerns. */
export interface ChangedRow<Id> {
  readonly accountId: string;
  readonly id: Id;
}

/**
 * Age of a row from which a change of it is announced. Checkpoints count rows that are 120 s old. The 90 s in between cover the duration of
 * a write and the clocks of two replicas, which may differ by 65 s; with a larger difference, calls between them fail anyway.
 */
const LATE_AFTER_MS = 30_000;
/** Time for which no checkpoint is added above a row that is about to change; a write takes a few seconds at most. */
const HELD_MS = 60_000;
/** Time in which further changes need no announcement. */
const ANNOUNCED_MS = 30_000;
/** Maximum accounts with a remembered announcement; the oldest is dropped, and announced again. */
const MAX_REMEMBERED = 10_000;

/** Keeps checkpoints away from rows that are about to change. */
export interface PendingChanges<Id> {
  changing<T>(rows: readonly ChangedRow<Id>[], write: () => Promise<T>): Promise<T>;
  /**
   * Called in the transaction that adds checkpoints of an account; returns the members to set, and the id above which
   * none may be added. A change that is announced meanwhile makes the transaction run again, or removes the added
   * checkpoints.
   */
  joinIn(
    session: ClientSession,
    accountId: string,
  ): Promise<{ readonly generation: number; readonly changingFrom: Id | undefined }>;
}

/**
 * Changes of rows that are old enough to be counted are announced before they are made: checkpoints above them are removed,
 * and none is added for a while. One announcement is enough for all changes of an account's newer rows in half a minute.
 */
export function createPendingChanges<Id extends string | number>(o: {
  readonly checkpoints: Pick<Collection, 'deleteMany'>;
  readonly states: Collection<CountStateDocument<Id>>;
  readonly ids: Pick<TimedIds<Id>, 'firstOf'>;
  readonly clock: Clock;
}): PendingChanges<Id> {
  const announced = new Map<string, { readonly from: Id; readonly until: number }>();

  function remember(accountId: string, from: Id, now: number): void {
    announced.delete(accountId);
    announced.set(accountId, { from, until: now + ANNOUNCED_MS });
    const [oldest] = announced.keys();
    if (announced.size > MAX_REMEMBERED && oldest !== undefined) announced.delete(oldest);
  }

  async function announce(accountId: string, from: Id): Promise<void> {
    const now = o.clock.now();
    const isHeld = { $gt: ['$changingUntil', now] };
    const changes = {
      generation: { $add: [{ $ifNull: ['$generation', 0] }, 1] },
      additions: { $ifNull: ['$additions', 0] },
      changingFrom: { $cond: [isHeld, { $min: ['$changingFrom', { $literal: from }] }, { $literal: from }] },
      changingUntil: new Date(now.getTime() + HELD_MS),
    };
    await o.states.updateOne({ _id: accountId }, [{ $set: changes }], { upsert: true });
    await o.checkpoints.deleteMany({ accountId, at: { $gt: from } });
    const known = announced.get(accountId);
    const isLower = known !== undefined && known.until > now.getTime() && known.from < from;
    remember(accountId, isLower ? known.from : from, now.getTime());
  }

  /** Announces changes of old rows that are not announced yet. */
  async function announceLate(rows: readonly ChangedRow<Id>[]): Promise<void> {
    const now = o.clock.now().getTime();
    const late = o.ids.firstOf(new Date(now - LATE_AFTER_MS));
    const lowest = new Map<string, Id>();
    for (const { accountId, id } of rows) {
      if (id >= late) continue;
      const known = announced.get(accountId);
      if (known !== undefined && known.until > now && known.from <= id) continue;
      const other = lowest.get(accountId);
      if (other === undefined || id < other) lowest.set(accountId, id);
    }
    for (const [accountId, from] of lowest) await announce(accountId, from);
  }

  return {
    async changing(rows, write) {
      await announceLate(rows);
      try {
        return await write();
      } finally {
        // The write may have taken long, or this process was suspended.
        await announceLate(rows);
      }
    },

    async joinIn(session, accountId) {
      const state = await o.states.findOneAndUpdate(
        { _id: accountId },
        [
          {
            $set: {
              generation: { $ifNull: ['$generation', 0] },
              additions: { $add: [{ $ifNull: ['$additions', 0] }, 1] },
            },
          },
        ],
        { upsert: true, returnDocument: 'after', session },
      );
      const isHeld = (state?.changingUntil ?? new Date(0)) > o.clock.now();
      const changingFrom = isHeld ? state?.changingFrom : undefined;
      return { generation: state?.generation ?? 0, changingFrom };
    },
  };
}
