import { guid } from '@fairlead/service-kit/ids';
import { bulkErrors, DUPLICATE_KEY } from '@fairlead/service-kit/mongo/write-errors';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { Binary } from 'mongodb';
import { deliveryId } from '../domain/delivery.ts';
import type { OpenAttempt } from '../domain/delivery.ts';
import type { CapturedEvent } from '../domain/event.ts';
import { lagOf } from '../domain/lag.ts';
import type { ClaimedDelivery, DeliveryStore, DueQueue } from '../ports/delivery-store.ts';
import { deliveryCollection, DUE_INDEX } from './delivery.collection.ts';
import type { DeliveryDocument } from './delivery.collection.ts';
import { destinationCollection } from './destination.collection.ts';
import { changedBy } from './event-counts.ts';
import type { EventCounts } from './event-counts.ts';
import { eventCollection } from './event.collection.ts';
import type { EventDocument } from './event.collection.ts';
import { recordState } from './event-states.ts';
import { claimOf } from './settlement-writes.ts';
import { createSettlements } from './settlements.ts';
import type { RecordDisabling } from './settlements.ts';

const QUEUES: readonly OpenAttempt['queue'][] = [0, 1];

/** The ledger in MongoDB. Writes that affect counts of events go through `counts`. */
export function createDeliveryRepository(
  store: MongoStore,
  counts: Pick<EventCounts, 'changing' | 'changingOutcomes'>,
  recordDisabling: RecordDisabling,
): DeliveryStore {
  const deliveries = store.collection(deliveryCollection);
  const events = store.collection(eventCollection);
  const destinations = store.collection(destinationCollection);

  return {
    settle: createSettlements(store, counts, recordDisabling),

    async insert(newDeliveries, claimFor) {
      const documents = newDeliveries.flatMap((event) =>
        event.destinationIds.map((destinationId) =>
          deliveryDocument(event, destinationId, claimFor(event, destinationId)),
        ),
      );
      const duplicates = await counts.changing(newDeliveries, async () => {
        // Sent together, so that they share a flush of the journal. An event without its deliveries counts as missing (findMissing).
        const [known] = await Promise.all([
          insertNew(deliveries.insertMany.bind(deliveries), documents),
          insertNew(events.insertMany.bind(events), newDeliveries.map(eventDocument)),
        ]);
        return known;
      });
      return documents.filter(
        (document, at) => !duplicates.has(at) && isClaimed(document),
      ) as ClaimedDelivery[]; // Filtered above.
    },

    async findMissing(ids) {
      const found = await events
        .find({ _id: { $in: [...ids] } }, { projection: { destinationIds: 1 } })
        .toArray();
      const deliveriesOf = ({ _id, destinationIds }: (typeof found)[number]): readonly string[] =>
        destinationIds.map((destinationId) => deliveryId(_id, destinationId));
      const stored = await deliveries
        .find({ _id: { $in: found.flatMap(deliveriesOf) } }, { projection: { _id: 1 } })
        .map(({ _id }) => _id)
        .toArray();
      const known = new Set<string>(stored);
      const whole = found.filter((event) => deliveriesOf(event).every((id) => known.has(id)));
      const isWhole = new Set(whole.map(({ _id }) => _id));
      return ids.filter((id) => !isWhole.has(id));
    },

    async dueQueues(now) {
      const queues = QUEUES.map((queue) =>
        deliveries
          .aggregate<DueQueue>(
            [
              // Skips from destination to destination in the index, however many attempts each has.
              { $match: { 'open.queue': queue, 'open.destinationId': { $gt: '' } } },
              { $sort: { 'open.queue': 1, 'open.destinationId': 1, 'open.at': 1 } },
              { $group: { _id: '$open.destinationId', at: { $first: '$open.at' } } },
              { $match: { at: { $lte: now } } },
              { $project: { _id: 0, destinationId: '$_id', queue: { $literal: queue }, at: 1 } },
            ],
            { hint: DUE_INDEX },
          )
          .toArray(),
      );
      const due = (await Promise.all(queues)).flat();
      if (due.length === 0) return [];
      const ids = due.map(({ destinationId }) => destinationId);
      const disabled = await destinations
        .find(
          { _id: { $in: ids }, isDeleted: false, disabledReason: { $ne: null } },
          { projection: { _id: 1 }, hint: '_id_' },
        )
        .map(({ _id }) => _id)
        .toArray();
      const waiting = new Set(disabled);
      return due.filter(({ destinationId }) => !waiting.has(destinationId));
    },

    async claim({ destinationId, queue }, { now, until, by, limit }) {
      const due = { 'open.queue': queue, 'open.destinationId': destinationId, 'open.at': { $lte: now } };
      const found = await deliveries
        .find(due, { projection: { _id: 1 }, hint: DUE_INDEX })
        .sort({ 'open.at': 1 })
        .limit(limit)
        .toArray();
      if (found.length === 0) return [];
      const token = guid();
      const ids = { _id: { $in: found.map(({ _id }) => _id) } };
      // An existing claim has expired without a result. Whether its request began is unknown.
      const isTakenOver = { $ne: ['$open.claim', null] };
      await deliveries.updateMany({ ...ids, ...due }, [
        {
          $set: {
            'open.claim': { token, by, until, isTakenOver },
            'open.at': until,
          },
        },
      ]);
      const claimed = await deliveries.find({ ...ids, 'open.claim.token': token }).toArray();
      // The write has just set these members.
      return claimed as readonly DeliveryDocument[] as readonly ClaimedDelivery[];
    },

    async findContents(eventIds, maxBodyBytes) {
      const isSmall = { $lte: [{ $binarySize: '$body' }, maxBodyBytes] };
      const found = await events
        .find({ _id: { $in: [...new Set(eventIds)] } })
        .project<Pick<EventDocument, '_id' | 'traceparent'> & { readonly body: Binary | null }>({
          body: { $cond: [isSmall, '$body', null] },
          traceparent: 1,
        })
        .toArray();
      return new Map(
        found.map(({ _id, body, traceparent }) => [_id, { body: body?.value() ?? null, traceparent }]),
      );
    },

    async renew(claimed, until) {
      const update = { $set: { 'open.claim.until': until, 'open.at': until } };
      return (await deliveries.updateOne(claimOf(claimed), update)).matchedCount === 1;
    },

    async noteBegin(claimed) {
      const update = { $inc: { 'open.lostClaims': 1 } };
      return (await deliveries.updateOne(claimOf(claimed), update)).matchedCount === 1;
    },

    async hold(claimed) {
      const { eventId, destinationId, open, isOnly } = claimed;
      const mine = { _id: deliveryId(eventId, destinationId), 'open.claim.token': open.claim.token };
      // A replay was requested meanwhile, so it must be made.
      const filter = { ...mine, 'open.cause': 'ladder' as const, 'open.replayAfter': { $exists: false } };
      const update = { $set: { state: 'held' as const }, $unset: { open: '' as const } };
      return await counts.changingOutcomes([changedBy(claimed)], async () => {
        if (isOnly && (await deliveries.updateOne({ ...filter, isOnly }, update)).matchedCount === 1)
          return true;
        return await store.withTransaction(async (session) => {
          const { matchedCount } = await deliveries.updateOne({ ...filter, isOnly: false }, update, {
            session,
          });
          if (matchedCount === 1) await recordState(events, session, claimed, 'held');
          return matchedCount === 1;
        });
      });
    },

    async release(claimed) {
      if (claimed.length === 0) return;
      await deliveries.bulkWrite(
        claimed.map(({ eventId, destinationId, open }) => ({
          updateOne: {
            filter: { _id: deliveryId(eventId, destinationId), 'open.claim.token': open.claim.token },
            update: [{ $set: { 'open.claim': null, 'open.at': '$open.dueAt' } }],
          },
        })),
        { ordered: false },
      );
    },

    async remove(claimed) {
      const { eventId, destinationId, open } = claimed;
      await counts.changing([changedBy(claimed)], () =>
        deliveries.deleteOne({
          _id: deliveryId(eventId, destinationId),
          'open.claim.token': open.claim.token,
        }),
      );
    },
  };
}

/** Indexes of documents that already existed. */
async function insertNew<T>(
  insertMany: (documents: readonly T[], options: { ordered: false }) => Promise<unknown>,
  documents: readonly T[],
): Promise<ReadonlySet<number>> {
  if (documents.length === 0) return new Set();
  const errors = await bulkErrors(insertMany(documents, { ordered: false }));
  const other = [...errors.values()].find(({ code }) => code !== DUPLICATE_KEY);
  if (other !== undefined) throw new Error('The ledger refused an event.', { cause: other });
  return new Set(errors.keys());
}

const isClaimed = ({ open }: DeliveryDocument): boolean => open?.claim !== null;

/** Omitted without a lag, as for most events, so that the lag index stays small. */
function lagMember(event: CapturedEvent): { readonly lag?: number } {
  const lag = lagOf(event);
  return lag === undefined ? {} : { lag };
}

function eventDocument(event: CapturedEvent): EventDocument {
  const { id, body, destinationIds, traceparent, ...same } = event;
  const several = {
    states: Object.fromEntries(destinationIds.map((each) => [each, 'pending' as const])),
    delivery: 'pending' as const,
  };
  return {
    ...same,
    _id: id,
    destinationIds,
    body: new Binary(body),
    ...lagMember(event),
    ...(traceparent !== undefined && { traceparent }),
    ...(destinationIds.length === 0 && { delivery: 'none' as const }),
    ...(destinationIds.length > 1 && several),
  };
}

function deliveryDocument(
  event: CapturedEvent,
  destinationId: string,
  claim: OpenAttempt['claim'],
): DeliveryDocument {
  const { id, accountId, triggerId, occurredAt, capturedAt, destinationIds } = event;
  return {
    _id: deliveryId(id, destinationId),
    accountId,
    eventId: id,
    destinationId,
    triggerId,
    occurredAt,
    capturedAt,
    ...lagMember(event),
    state: 'pending',
    open: {
      destinationId,
      queue: 0,
      at: claim?.until ?? capturedAt,
      dueAt: capturedAt,
      createdAt: capturedAt,
      cause: 'ladder',
      claim,
      lostClaims: 0,
    },
    ladder: 0,
    attempts: [],
    isOnly: destinationIds.length === 1,
  };
}
