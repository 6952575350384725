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
import { claimOf, idOf, isDelivered, updateOf, writeDelivered, writeOne } from './settlement-writes.ts';
import type { Planned } from './settlement-writes.ts';

const FENCED: SettlementResult = { kind: 'fenced' };
const BLOCKED: SettlementResult = { kind: 'blocked' };

/**
 * Within half a second. A process that died in a transaction blocks others for a minute or more, until the database
 * gives its transaction up; results at other destinations do not wait for that.
 */
const TRANSACTION_ATTEMPTS = 10;

/** Destinations that are remembered to have failures. */
const MAX_FAILING = 10_000;

/** Records, in the transaction that does so, that failures have disabled a destination. */
export type RecordDisabling = (session: ClientSession, disabling: Disabling) => Promise<void>;

/**
 * Ends claimed attempts. Most are one write of one document, all of them one bulk write, in which those that are delivered
 * are one statement. A transaction takes those that concern more: the state of an event with several destinations, and the failures in a row of a destination.
 */
export function createSettlements(
  store: MongoStore,
  counts: Pick<EventCounts, 'changingOutcomes'>,
  recordDisabling: RecordDisabling,
): (settlements: readonly Settlement[]) => Promise<readonly SettlementResult[]> {
  const deliveries = store.collection(deliveryCollection);
  const events = store.collection(eventCollection);
  const destinations = store.collection(destinationCollection);
  /**
   * Failures in a row that this process has counted, by destination: an attempt that is delivered ends the row although it
   * began before.
   */
  const failing = new Map<string, symbol>();
  /** The last result under way of each event with several destinations. */
  const lastOfEvent = new Map<string, Promise<SettlementResult>>();

  function remember(destinationId: string): void {
    failing.delete(destinationId);
    failing.set(destinationId, Symbol());
    const [oldest] = failing.keys();
    if (failing.size > MAX_FAILING && oldest !== undefined) failing.delete(oldest);
  }

  function hasFailures({ claimed: { destinationId }, destination }: Settlement): boolean {
    return destination?.hasFailures === true || failing.has(destinationId);
  }

  async function settleTogether(
    planned: readonly Planned[],
  ): Promise<ReadonlyMap<Settlement, SettlementResult>> {
    const refusing = new Set(
      planned
        .filter(({ transition }) => transition.attempt.state === 'deadLettered')
        .map(({ settlement }) => settlement.claimed.destinationId),
    );
    const isSimple = ({ settlement, transition }: Planned): boolean =>
      transition.attempt.state === 'failed' ||
      (transition.attempt.state === 'delivered' &&
        settlement.claimed.isOnly &&
        !hasFailures(settlement) &&
        !refusing.has(settlement.claimed.destinationId));
    const simple = planned.filter(isSimple);
    if (simple.length === 0) return new Map();
    const [delivered, others] = [simple.filter(isDelivered), simple.filter((each) => !isDelivered(each))];
    const writes = [...(delivered.length === 0 ? [] : [writeDelivered(delivered)]), ...others.map(writeOne)];
    const { matchedCount } = await deliveries.bulkWrite(writes, { ordered: false });
    const settled = matchedCount === simple.length ? simple : await thoseWritten(simple);
    return new Map(
      settled.map(({ settlement, transition }) => [
        settlement,
        { kind: 'settled', transition, isDisabled: false },
      ]),
    );
  }

  /** Of the written transitions, those that matched: the count tells of all together only. */
  async function thoseWritten(written: readonly Planned[]): Promise<readonly Planned[]> {
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
   * Results of one event with several destinations, whose state all of them write, wait for each other: transactions at the same
   * time would abort and repeat each other.
   */
  async function settleInTurn(settlement: Settlement): Promise<SettlementResult> {
    const { eventId, isOnly } = settlement.claimed;
    if (isOnly) return settleAlone(settlement);
    const before = lastOfEvent.get(eventId);
    const result = (async () => {
      const last = await before?.catch(() => undefined);
      return last?.kind === 'blocked' ? BLOCKED : await settleAlone(settlement);
    })();
    lastOfEvent.set(eventId, result);
    try {
      return await result;
    } finally {
      if (lastOfEvent.get(eventId) === result) lastOfEvent.delete(eventId);
    }
  }

  async function settleAlone(settlement: Settlement): Promise<SettlementResult> {
    const { destinationId } = settlement.claimed;
    const before = failing.get(destinationId);
    const result = await settleInTransaction(settlement);
    if (result.kind !== 'settled') return result;
    if (result.transition.attempt.state === 'deadLettered') remember(destinationId);
    else if (result.transition.attempt.state === 'delivered' && failing.get(destinationId) === before)
      failing.delete(destinationId);
    return result;
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
      if (transition.state !== 'pending' && !claimed.isOnly)
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
    if (state === 'delivered' && hasFailures(settlement)) {
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
    const planned = settlements.map((settlement): Planned => {
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
          // One after the other: failures in a row are counted in their order.
          for (const settlement of some) {
            const result = await settleInTurn(settlement);
            // What blocks one of them most likely blocks the others.
            if (result.kind === 'blocked') return;
            results.set(settlement, result);
          }
        }),
      );
      return settlements.map((settlement) => results.get(settlement) ?? BLOCKED);
    });
  };
}
