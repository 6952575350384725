import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { ClientSession } from 'mongodb';
import type { OpenAttempt } from '../domain/delivery.ts';
import type { Disabling } from '../domain/destination.ts';
import { DESTINATION_DELETED } from '../domain/outcome.ts';
import { settleAttempt } from '../domain/transition.ts';
import type { Transition } from '../domain/transition.ts';
import type { Settlement, SettlementResult } from '../ports/delivery-store.ts';
import { deliveryCollection } from './delivery.collection.ts';
import { changedBy } from './event-counts.ts';
import type { EventCounts } from './event-counts.ts';
import { destinationCollection } from './destination.collection.ts';
import { eventCollection } from './event.collection.ts';
import { recordState } from './event-states.ts';
import {
  claimOf,
  idOf,
  isDelivered,
  updateOf,
  writeDelivered,
  writeOne,
  writeStates,
} from './settlement-writes.ts';
import type { PlannedSettlement } from './settlement-writes.ts';

const FENCED: SettlementResult = { kind: 'fenced' };
const BLOCKED: SettlementResult = { kind: 'blocked' };

/**
 * Retries, within half a second. A process that died in a transaction blocks others for a minute or more, until the database aborts the
 * transaction; results of other destinations must not wait for that.
 */
const TRANSACTION_ATTEMPTS = 10;

/** Records that failures have disabled a destination, in the same transaction. */
export type RecordDisabling = (session: ClientSession, disabling: Disabling) => Promise<void>;

/**
 * Ends claimed attempts. Most are one document write each, combined in one bulk write; delivered ones are a single statement in it.
 * Delivered attempts of events with several destinations share a transaction of two statements: for the deliveries, and for the events'
 * states. Others have a transaction each: dead-lettered attempts, and those that end a series of failures.
 */
export function createSettlements(
  store: MongoStore,
  counts: Pick<EventCounts, 'changingOutcomes'>,
  recordDisabling: RecordDisabling,
): (settlements: readonly Settlement[]) => Promise<readonly SettlementResult[]> {
  const deliveries = store.collection(deliveryCollection);
  const events = store.collection(eventCollection);
  const destinations = store.collection(destinationCollection);
  /** The last settlement in progress of each event with several destinations. */
  const lastOfEvent = new Map<string, Promise<SettlementResult>>();

  /** Destinations of delivered attempts that have consecutive failures, counted by any replica. */
  async function findFailing(delivered: readonly PlannedSettlement[]): Promise<ReadonlySet<string>> {
    const ids = new Set(delivered.map(({ settlement }) => settlement.claimed.destinationId));
    if (ids.size === 0) return ids;
    const failing = { _id: { $in: [...ids] }, 'deadStreak.0': { $exists: true } };
    const found = await destinations.find(failing, { projection: { _id: 1 }, hint: '_id_' }).toArray();
    return new Set(found.map(({ _id }) => _id));
  }

  async function settleTogether(
    planned: readonly PlannedSettlement[],
  ): Promise<ReadonlyMap<Settlement, SettlementResult>> {
    const destinationOf = ({ settlement }: PlannedSettlement): string => settlement.claimed.destinationId;
    const refusing = new Set(
      planned.filter(({ transition }) => transition.attempt.state === 'deadLettered').map(destinationOf),
    );
    const accepted = planned.filter((each) => isDelivered(each) && !refusing.has(destinationOf(each)));
    const failing = new Set(await findFailing(accepted.filter(({ settlement }) => countsFor(settlement))));
    // The first delivered attempt ends the series of failures, in a transaction.
    const delivered = accepted.filter(
      (each) => !countsFor(each.settlement) || !failing.delete(destinationOf(each)),
    );
    const failed = planned.filter(({ transition }) => transition.attempt.state === 'failed');
    const isOnly = ({ settlement }: PlannedSettlement): boolean => settlement.claimed.isOnly;
    const written = await Promise.all([
      settleSingle(delivered.filter(isOnly), failed),
      settleSeveral(delivered.filter((each) => !isOnly(each))),
    ]);
    return new Map(
      written
        .flat()
        .map(({ settlement, transition }) => [
          settlement,
          { kind: 'settled', transition, isDisabled: false },
        ]),
    );
  }

  /** Returns the written ones. */
  async function settleSingle(
    delivered: readonly PlannedSettlement[],
    failed: readonly PlannedSettlement[],
  ): Promise<readonly PlannedSettlement[]> {
    const all = [...delivered, ...failed];
    if (all.length === 0) return [];
    const writes = [
      ...(delivered.length === 0 ? [] : [writeDelivered(delivered, { isOnly: true })]),
      ...failed.map(writeOne),
    ];
    const { matchedCount } = await deliveries.bulkWrite(writes, { ordered: false });
    return matchedCount === all.length ? all : await thoseWritten(all);
  }

  /** Writes all of them or none: none if concurrent changes of the same events continue, or a claim was lost. */
  async function settleSeveral(
    delivered: readonly PlannedSettlement[],
  ): Promise<readonly PlannedSettlement[]> {
    if (delivered.length === 0) return [];
    let attempts = 0;
    return store.withTransaction(async (session) => {
      attempts += 1;
      if (attempts > TRANSACTION_ATTEMPTS) return [];
      const write = writeDelivered(delivered, { isOnly: false });
      const { matchedCount } = await deliveries.bulkWrite([write], { session });
      if (matchedCount < delivered.length) {
        // The count does not say which ones did not match.
        await session.abortTransaction();
        return [];
      }
      await events.bulkWrite([writeStates(delivered)], { session });
      return delivered;
    });
  }

  /** Finds out which of the transitions matched, because the database only returns their number. */
  async function thoseWritten(written: readonly PlannedSettlement[]): Promise<readonly PlannedSettlement[]> {
    const ids = written.map(({ settlement: { claimed } }) => idOf(claimed));
    const found = await deliveries
      .find({ _id: { $in: ids } }, { projection: { attempts: 1, open: 1 } })
      .toArray();
    const byId = new Map(found.map((document) => [document._id, document]));
    return written.filter(({ settlement: { claimed }, transition: { attempt } }) => {
      const document = byId.get(idOf(claimed));
      if (document === undefined || document.open?.claim?.token === claimed.open.claim.token) return false;
      const stored = document.attempts[attempt.attempt - 1];
      return stored?.durationMs === attempt.durationMs && stored.state === attempt.state;
    });
  }

  /**
   * Settlements of one event with several destinations wait for each other: as concurrent transactions they would conflict on the event's
   * state and retry.
   */
  async function settleInTurn(settlement: Settlement): Promise<SettlementResult> {
    const { eventId, isOnly } = settlement.claimed;
    if (isOnly) return settleInTransaction(settlement);
    const before = lastOfEvent.get(eventId);
    const result = (async () => {
      const last = await before?.catch(() => undefined);
      return last?.kind === 'blocked' ? BLOCKED : await settleInTransaction(settlement);
    })();
    lastOfEvent.set(eventId, result);
    try {
      return await result;
    } finally {
      if (lastOfEvent.get(eventId) === result) lastOfEvent.delete(eventId);
    }
  }

  function settleInTransaction(settlement: Settlement): Promise<SettlementResult> {
    const { claimed, outcome, now } = settlement;
    let attempts = 0;
    return store.withTransaction(async (session) => {
      attempts += 1;
      if (attempts > TRANSACTION_ATTEMPTS) return BLOCKED;
      const document = await deliveries.findOne(claimOf(claimed), { session });
      if (document?.open === undefined) return FENCED;
      const { open } = document;
      const transition = settleAttempt({ ...document, open }, outcome, now);
      await deliveries.updateOne(claimOf(claimed), updateOf(transition), { session });
      // Read now, because a replay may have added a destination to the event.
      if (transition.state !== 'pending' && !document.isOnly)
        await recordState(events, session, claimed, transition.state);
      const isDisabled = await countFailure(session, settlement, open, transition);
      return { kind: 'settled', transition, isDisabled };
    });
  }

  /** Whether it disabled the destination. */
  async function countFailure(
    session: ClientSession,
    settlement: Settlement,
    { cause }: OpenAttempt,
    { attempt: { state } }: Transition,
  ): Promise<boolean> {
    const { claimed, outcome, destination, now } = settlement;
    if (destination === undefined || cause === 'replay' || outcome.error === DESTINATION_DELETED)
      return false;
    const { accountId, destinationId, eventId } = claimed;
    const counted = { accountId, _id: destinationId, epoch: destination.epoch, disabledReason: null };
    if (state === 'delivered') {
      const failed = { ...counted, 'deadStreak.0': { $exists: true } };
      await destinations.updateOne(failed, { $set: { deadStreak: [] } }, { session });
    }
    if (state !== 'deadLettered') return false;
    const after = await destinations.findOneAndUpdate(
      counted,
      [
        { $set: { deadStreak: { $setUnion: ['$deadStreak', [eventId]] } } },
        {
          $set: {
            disabledReason: {
              $cond: [
                { $gte: [{ $size: '$deadStreak' }, '$maxConsecutiveFailures'] },
                'consecutiveFailures',
                null,
              ],
            },
          },
        },
        { $set: { updatedAt: { $cond: [{ $eq: ['$disabledReason', null] }, '$updatedAt', now] } } },
      ],
      { session, returnDocument: 'after', projection: { disabledReason: 1, deadStreak: 1 } },
    );
    if (after?.disabledReason !== 'consecutiveFailures') return false;
    await recordDisabling(session, {
      accountId,
      destinationId,
      failures: after.deadStreak.length,
      occurredAt: now,
    });
    return true;
  }

  return (settlements) => {
    const planned = settlements.map((settlement): PlannedSettlement => {
      const { claimed, outcome, now } = settlement;
      return { settlement, transition: settleAttempt(claimed, outcome, now) };
    });
    const ending = planned.filter(({ transition }) => transition.state !== 'pending');
    const changed = ending.map(({ settlement: { claimed } }) => changedBy(claimed));
    return counts.changingOutcomes(changed, async () => {
      const results = new Map(await settleTogether(planned));
      const alone = settlements.filter((settlement) => !results.has(settlement));
      const ofDestination = Map.groupBy(alone, ({ claimed }) => claimed.destinationId);
      await Promise.all(
        [...ofDestination.values()].map(async (some) => {
          // Sequentially, because consecutive failures are counted in order.
          for (const settlement of some) {
            const result = await settleInTurn(settlement);
            // If one settlement is blocked, the destination's others most likely are, too.
            if (result.kind === 'blocked') return;
            results.set(settlement, result);
          }
        }),
      );
      return settlements.map((settlement) => results.get(settlement) ?? BLOCKED);
    });
  };
}

/** Whether the result counts as a consecutive failure of its destination. */
function countsFor({ claimed: { open }, destination }: Settlement): boolean {
  return destination !== undefined && open.cause !== 'replay';
}
