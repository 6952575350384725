import { guid } from '@fairlead/service-kit/ids';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { Claim } from '@fairlead/service-kit/sweep/claims';
import type { ClientSession } from 'mongodb';
import { deliveryId } from '../domain/delivery.ts';
import type { Replay, ReplayOutcome, Replays } from '../ports/replays.ts';
import { deliveryCollection } from './delivery.collection.ts';
import { destinationCollection } from './destination.collection.ts';
import type { EventCounts } from './event-counts.ts';
import { firstEventId } from './event-selection.ts';
import { eventCollection } from './event.collection.ts';
import { replayCollection } from './replay.collection.ts';
import type { ReplayDocument } from './replay.collection.ts';
import { REPLAYED_DELIVERY, replayWrites } from './replay-writes.ts';
import type { EventHead, ReplayedDelivery } from './replay-writes.ts';

/** Events per document, replayed in one transaction. */
const EVENTS_AT_ONCE = 50;

/** Events replayed in one transaction. */
type EventsReplay = Omit<Replay, 'eventId'> & { readonly eventIds: readonly string[] };

/** Replays in Mongo. */
export interface ReplayRepository extends Replays {
  /** Replays the events of a claimed document and removes it, in one transaction; does nothing if the claim was lost. */
  perform(claimed: Claim<ReplayDocument>, at: Pick<Replay, 'now' | 'since'>): Promise<void>;
}

/** Replays in transactions, because the state of an event with several destinations is stored beside its deliveries' states. */
export function createReplayRepository(
  store: Pick<MongoStore, 'collection' | 'withTransaction'>,
  counts: Pick<EventCounts, 'changing' | 'changingOutcomes'>,
): ReplayRepository {
  const events = store.collection(eventCollection);
  const deliveries = store.collection(deliveryCollection);
  const destinations = store.collection(destinationCollection);
  const replays = store.collection(replayCollection);

  /** The existing destinations. */
  async function existing(
    session: ClientSession,
    accountId: string,
    ids: readonly string[],
  ): Promise<ReadonlySet<string>> {
    const filter = { accountId, _id: { $in: [...new Set(ids)] }, isDeleted: false };
    const found = await destinations.find(filter, { session, projection: { _id: 1 } }).toArray();
    return new Set(found.map(({ _id }) => _id));
  }

  /** Replays the events that can be replayed; returns the outcome of each existing event, by id. */
  async function replayIn(
    session: ClientSession,
    accountId: string,
    { eventIds, destinationId, otherwise, now, since }: EventsReplay,
  ): Promise<ReadonlyMap<string, ReplayOutcome>> {
    const filter = { accountId, _id: { $in: [...eventIds], $gte: firstEventId(since) } };
    const heads = await events.find(filter, { session }).project<EventHead>({ body: 0 }).toArray();
    const own = heads.flatMap(({ destinationIds }) => destinationIds);
    const isThere = await existing(session, accountId, [...own, ...otherwise]);
    const ids = heads.flatMap((event) => event.destinationIds.map((id) => deliveryId(event._id, id)));
    const found = await deliveries
      .find({ accountId, _id: { $in: ids } }, { session })
      .project<ReplayedDelivery>(REPLAYED_DELIVERY)
      .toArray();
    const known = Map.groupBy(found, ({ eventId }) => eventId);
    const planned = heads.map((event) => {
      const { _id: id } = event;
      const targets = targetsOf(event, { isThere, destinationId, otherwise });
      if (typeof targets === 'string') return { id, outcome: targets };
      const writes = replayWrites(event, targets, known.get(id) ?? [], now);
      const outcome = writes === undefined ? ('tooManyAttempts' as const) : ('queued' as const);
      return { id, outcome, writes };
    });
    const ofDeliveries = planned.flatMap(({ writes }) => writes?.ofDeliveries ?? []);
    const ofEvents = planned.flatMap(({ writes }) => writes?.ofEvents ?? []);
    if (ofDeliveries.length > 0) await deliveries.bulkWrite(ofDeliveries, { session });
    if (ofEvents.length > 0) await events.bulkWrite(ofEvents, { session });
    return new Map(planned.map(({ id, outcome }) => [id, outcome]));
  }

  function inTransaction<T>(
    accountId: string,
    { eventIds, otherwise }: Pick<EventsReplay, 'eventIds' | 'otherwise'>,
    write: (session: ClientSession) => Promise<T>,
  ): Promise<T> {
    const changed = eventIds.map((id) => ({ accountId, id }));
    const changing = otherwise.length === 0 ? counts.changingOutcomes : counts.changing;
    return changing(changed, () => store.withTransaction(write));
  }

  return {
    async replay(accountId, { eventId, ...o }) {
      const replay = { ...o, eventIds: [eventId] };
      return inTransaction(
        accountId,
        replay,
        async (session) => (await replayIn(session, accountId, replay)).get(eventId) ?? 'noEvent',
      );
    },

    async enqueue(ctx, accountId, { eventIds, destinationId, now }, most) {
      if (eventIds.length === 0) return true;
      const limit = Math.ceil(most / EVENTS_AT_ONCE);
      const options = { ...operationOptions(ctx), hint: 'of_account', limit };
      if ((await replays.countDocuments({ accountId }, options)) >= limit) return false;
      const due = { lane: accountId, at: now, claim: null };
      const documents = Array.from({ length: Math.ceil(eventIds.length / EVENTS_AT_ONCE) }, (_, index) => ({
        _id: guid(),
        accountId,
        eventIds: eventIds.slice(index * EVENTS_AT_ONCE, (index + 1) * EVENTS_AT_ONCE),
        destinationId: destinationId ?? null,
        due,
      }));
      await store.withTransaction(async (session) => {
        await replays.insertMany(documents, { session });
      });
      return true;
    },

    async perform({ document: { _id, accountId, eventIds, destinationId }, token }, at) {
      const replay = { eventIds, destinationId: destinationId ?? undefined, otherwise: [], ...at };
      await inTransaction(accountId, replay, async (session) => {
        const { deletedCount } = await replays.deleteOne(
          { accountId, _id, 'due.claim.token': token },
          { session },
        );
        if (deletedCount === 0) return;
        await replayIn(session, accountId, replay);
      });
    },
  };
}

/** The destinations of a replay, or why there are none. */
function targetsOf(
  event: EventHead,
  {
    isThere,
    destinationId,
    otherwise,
  }: { readonly isThere: ReadonlySet<string> } & Pick<Replay, 'destinationId' | 'otherwise'>,
): readonly string[] | Exclude<ReplayOutcome, 'queued'> {
  const own = event.destinationIds.filter((id) => isThere.has(id));
  const all = own.length > 0 ? own : otherwise.filter((id) => isThere.has(id));
  if (all.length === 0) return 'noDestination';
  const targets = destinationId === undefined ? all : all.filter((id) => id === destinationId);
  return targets.length === 0 ? 'otherDestination' : targets;
}
