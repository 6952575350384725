import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { Settlement } from '@fairlead/service-kit/sweep/claims';
import type { Filter } from 'mongodb';
import type { OpenAttempt, SettledAttempt } from '../domain/delivery.ts';
import { DESTINATION_DELETED } from '../domain/outcome.ts';
import { deliveryCollection, DUE_INDEX } from './delivery.collection.ts';
import type { DeliveryDocument } from './delivery.collection.ts';
import { destinationCollection } from './destination.collection.ts';
import type { DestinationDocument } from './destination.collection.ts';
import { changedBy } from './event-counts.ts';
import type { EventCounts } from './event-counts.ts';
import { eventCollection } from './event.collection.ts';
import { recordState } from './event-states.ts';

/** Deliveries ended per call, so that each call is short; a backlog takes several. */
const AT_ONCE = 500;
/** An attempt in progress ends by itself within this time. */
const UNDER_WAY_MS = 5_000;

const QUEUES: OpenAttempt['queue'][] = [0, 1];

/** Ends deliveries of deleted destinations, and holds old deliveries of destinations that were enabled again. */
export function createUpkeep(
  store: MongoStore,
  counts: Pick<EventCounts, 'changingOutcomes'>,
): (destination: DestinationDocument, now: Date) => Promise<Settlement | undefined> {
  const deliveries = store.collection(deliveryCollection);
  const destinations = store.collection(destinationCollection);
  const events = store.collection(eventCollection);

  /** Ends deliveries without an attempt in progress; returns how many it found. */
  async function endOpen(
    filter: Filter<DeliveryDocument>,
    end: (document: DeliveryDocument) => FinalState,
  ): Promise<number> {
    const found = await deliveries
      .find({ ...filter, 'open.claim': null }, { hint: DUE_INDEX })
      .limit(AT_ONCE)
      .toArray();
    await counts.changingOutcomes(found.map(changedBy), () => endAll(found, end));
    return found.length;
  }

  async function endAll(
    found: readonly DeliveryDocument[],
    end: (document: DeliveryDocument) => FinalState,
  ): Promise<void> {
    const [single, several] = [found.filter(({ isOnly }) => isOnly), found.filter(({ isOnly }) => !isOnly)];
    if (single.length > 0)
      await deliveries.bulkWrite(
        single.map((document) => ({
          // A delivery to which a replay has added a destination is found again.
          updateOne: { filter: { ...unclaimed(document), isOnly: true }, update: updateOf(end(document)) },
        })),
        { ordered: false },
      );
    for (const document of several)
      await store.withTransaction(async (session) => {
        const { matchedCount } = await deliveries.updateOne(unclaimed(document), updateOf(end(document)), {
          session,
        });
        if (matchedCount === 1) await recordState(events, session, document, end(document).state);
      });
  }

  async function endDeleted(
    { _id: id, accountId }: DestinationDocument,
    now: Date,
  ): Promise<Settlement | undefined> {
    const ofDestination = openOf(id);
    const ended = await endOpen(ofDestination, (document) => deletedEnd(document, now));
    if (ended === AT_ONCE) return { at: now };
    if ((await deliveries.findOne(ofDestination, { projection: { _id: 1 }, hint: DUE_INDEX })) !== null)
      return { at: new Date(now.getTime() + UNDER_WAY_MS) };
    await destinations.deleteOne({ accountId, _id: id });
    return undefined;
  }

  async function holdOld({ _id: id, resumeFrom }: DestinationDocument, now: Date): Promise<Settlement> {
    if (resumeFrom === null) return { at: null };
    const old = {
      ...openOf(id),
      capturedAt: { $lt: resumeFrom },
      'open.cause': 'ladder' as const,
      'open.replayAfter': { $exists: false },
    };
    const count = await endOpen(old, () => ({ state: 'held' }));
    return { at: count === AT_ONCE ? now : null };
  }

  return (destination, now) =>
    destination.isDeleted ? endDeleted(destination, now) : holdOld(destination, now);
}

interface FinalState {
  readonly state: 'deadLettered' | 'held';
  readonly attempt?: SettledAttempt;
}

/** The open attempts of a destination, in both queues, by the index for claims. */
function openOf(destinationId: string) {
  return { 'open.queue': { $in: QUEUES }, 'open.destinationId': destinationId };
}

/** Matches the delivery if it is unchanged and unclaimed. */
function unclaimed({ _id, open }: DeliveryDocument): Filter<DeliveryDocument> {
  return { _id, 'open.claim': null, 'open.createdAt': open?.createdAt, 'open.cause': open?.cause };
}

function updateOf({ state, attempt }: FinalState) {
  return {
    $set: { state },
    $unset: { open: '' as const },
    ...(attempt !== undefined && { $push: { attempts: attempt } }),
  };
}

function deletedEnd({ attempts, open }: DeliveryDocument, now: Date): FinalState {
  return {
    state: 'deadLettered',
    attempt: {
      attempt: attempts.length + 1,
      state: 'deadLettered',
      statusCode: null,
      error: DESTINATION_DELETED,
      durationMs: 0,
      createdAt: open?.createdAt ?? now,
    },
  };
}
