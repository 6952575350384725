import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { AnyBulkWriteOperation, ClientSession, UpdateFilter } from 'mongodb';
import { deliveryId } from '../domain/delivery.ts';
import type { OpenAttempt } from '../domain/delivery.ts';
import { DESTINATION_DELETED } from '../domain/outcome.ts';
import { settleAttempt } from '../domain/transition.ts';
import type { Transition } from '../domain/transition.ts';
import type { Settlement, SettlementResult } from '../ports/delivery-store.ts';
import { deliveryCollection } from './delivery.collection.ts';
import type { DeliveryDocument } from './delivery.collection.ts';
import { destinationCollection } from './destination.collection.ts';
import { eventCollection } from './event.collection.ts';
import { recordState } from './event-states.ts';

const FENCED: SettlementResult = { kind: 'fenced' };

/**
 * Ends claimed attempts. Most are one write of one document, all of them one bulk write. A transaction takes those that
 * concern more: the state of an event with several destinations, and the failures in a row of a destination.
 */
export function createSettlements(
  store: MongoStore,
): (settlements: readonly Settlement[]) => Promise<readonly SettlementResult[]> {
  const deliveries = store.collection(deliveryCollection);
  const events = store.collection(eventCollection);
  const destinations = store.collection(destinationCollection);

  async function settleTogether(
    settlements: readonly Settlement[],
  ): Promise<ReadonlyMap<Settlement, SettlementResult>> {
    const planned = settlements.map((settlement) => {
      const { claimed, outcome, now } = settlement;
      return { settlement, transition: settleAttempt(claimed, outcome, now) };
    });
    const isSimple = ({ settlement, transition }: (typeof planned)[number]): boolean =>
      transition.state === 'pending' ||
      (transition.state === 'delivered' &&
        settlement.claimed.isOnly &&
        settlement.destination?.hasFailures !== true);
    const simple = planned.filter(isSimple);
    if (simple.length === 0) return new Map();
    const writes = simple.map(
      ({ settlement: { claimed }, transition }): AnyBulkWriteOperation<DeliveryDocument> => ({
        updateOne: {
          // A replay that came meanwhile has changed the cause: then the attempt ends in another way.
          filter: { ...claimOf(claimed), 'open.cause': claimed.open.cause },
          update: updateOf(transition),
        },
      }),
    );
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
  async function thoseWritten<P extends { readonly settlement: Settlement; readonly transition: Transition }>(
    written: readonly P[],
  ): Promise<readonly P[]> {
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

  function settleAlone(settlement: Settlement): Promise<SettlementResult> {
    const { claimed, outcome, now } = settlement;
    return store.withTransaction(async (session) => {
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
    { claimed, outcome, destination, now }: Settlement,
    { cause }: OpenAttempt,
    { state }: Transition,
  ): Promise<boolean> {
    if (destination === undefined || cause === 'replay' || outcome.error === DESTINATION_DELETED)
      return false;
    const { accountId, destinationId, eventId } = claimed;
    const counted = { accountId, _id: destinationId, epoch: destination.epoch, disabledReason: null };
    if (state === 'delivered' && destination.hasFailures)
      await destinations.updateOne(counted, { $set: { deadStreak: [] } }, { session });
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
      { session, returnDocument: 'after', projection: { disabledReason: 1 } },
    );
    return after?.disabledReason === 'consecutiveFailures';
  }

  return async (settlements) => {
    const together = await settleTogether(settlements);
    return await Promise.all(
      settlements.map(async (settlement) => together.get(settlement) ?? (await settleAlone(settlement))),
    );
  };
}

type Claimed = Settlement['claimed'];

function idOf({ eventId, destinationId }: Claimed): string {
  return deliveryId(eventId, destinationId);
}

/** Matches while the claim is in force, or expired without another one. */
function claimOf(claimed: Claimed) {
  return { _id: idOf(claimed), 'open.claim.token': claimed.open.claim.token };
}

function updateOf({ attempt, state, ladder, open }: Transition): UpdateFilter<DeliveryDocument> {
  return {
    $push: { attempts: attempt },
    $set: { state, ladder, ...(open !== undefined && { open }) },
    ...(open === undefined && { $unset: { open: '' } }),
  };
}
