import { guid } from '@fairlead/service-kit/ids';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { Claimed } from '@fairlead/service-kit/sweep/claims';
import type { ClientSession } from 'mongodb';
import type { DeliveryState } from '../domain/delivery.ts';
import { deliveryId } from '../domain/delivery.ts';
import { replayAttempt, replayed } from '../domain/replay.ts';
import type { Replay, ReplayOutcome, Replays } from '../ports/replays.ts';
import { deliveryCollection } from './delivery.collection.ts';
import { destinationCollection } from './destination.collection.ts';
import type { EventCounts } from './event-counts.ts';
import { eventCollection } from './event.collection.ts';
import type { EventDocument } from './event.collection.ts';
import { oneEvent } from './event.repository.ts';
import { replayCollection } from './replay.collection.ts';
import type { ReplayDocument } from './replay.collection.ts';

/** Events of one document, which one transaction replays. */
const EVENTS_AT_ONCE = 50;

type Head = Omit<EventDocument, 'body'>;

/** Replays in Mongo. */
export interface ReplayRepository extends Replays {
  /** Replays the events of a claimed document and removes it, in one transaction; nothing if the claim was lost. */
  perform(claimed: Claimed<ReplayDocument>, at: Pick<Replay, 'now' | 'since'>): Promise<void>;
}

/** Replays, each in a transaction: the state of an event with several destinations is stored beside theirs. */
export function createReplayRepository(
  store: Pick<MongoStore, 'collection' | 'withTransaction'>,
  counts: Pick<EventCounts, 'changing'>,
): ReplayRepository {
  const events = store.collection(eventCollection);
  const deliveries = store.collection(deliveryCollection);
  const destinations = store.collection(destinationCollection);
  const replays = store.collection(replayCollection);

  /** Those of the destinations that exist, in their order. */
  async function existing(
    session: ClientSession,
    accountId: string,
    ids: readonly string[],
  ): Promise<readonly string[]> {
    const found = await destinations
      .find({ accountId, _id: { $in: [...ids] }, isDeleted: false }, { session, projection: { _id: 1 } })
      .toArray();
    const known = new Set(found.map(({ _id }) => _id));
    return ids.filter((id) => known.has(id));
  }

  async function openAttempt(session: ClientSession, event: Head, destinationId: string, now: Date) {
    const _id = deliveryId(event._id, destinationId);
    const found = await deliveries.findOne({ accountId: event.accountId, _id }, { session });
    if (found === null) {
      const { accountId, _id: eventId, triggerId, occurredAt, capturedAt, lag } = event;
      const open = replayAttempt(destinationId, now);
      const state = 'pending' as const;
      const rest = { state, open, ladder: 0, attempts: [], isOnly: false };
      const when = { occurredAt, capturedAt, ...(lag !== undefined && { lag }) };
      const document = { _id, accountId, eventId, destinationId, triggerId, ...when, ...rest };
      await deliveries.insertOne(document, { session });
      return;
    }
    const open = replayed(found, now);
    if (open === undefined) return;
    await deliveries.updateOne(
      { accountId: event.accountId, _id },
      { $set: { open, state: 'pending' } },
      { session },
    );
  }

  /** Writes down where an event goes, and what has become of it if its delivery alone does not say. */
  async function writeSummary(session: ClientSession, event: Head, replayedTo: readonly string[]) {
    const { accountId, _id } = event;
    const destinationIds = [...new Set([...event.destinationIds, ...replayedTo])];
    const isOnly = destinationIds.length === 1;
    if (destinationIds.length > event.destinationIds.length) {
      const ids = destinationIds.map((id) => deliveryId(_id, id));
      await deliveries.updateMany({ accountId, _id: { $in: ids } }, { $set: { isOnly } }, { session });
    }
    if (isOnly) {
      if (event.destinationIds.length === 1) return;
      const change = { $set: { destinationIds }, $unset: { delivery: '', states: '' } } as const;
      await events.updateOne({ accountId, _id }, change, { session });
      return;
    }
    const ofEvent = { accountId, _id: { $in: destinationIds.map((id) => deliveryId(_id, id)) } };
    const options = { session, projection: { _id: 0, destinationId: 1, state: 1 } };
    const found = await deliveries.find(ofEvent, options).toArray();
    const states: Record<string, DeliveryState> = Object.fromEntries(
      found.map(({ destinationId, state }) => [destinationId, state]),
    );
    const $set = { destinationIds, states, delivery: 'pending' } as const;
    await events.updateOne({ accountId, _id }, { $set }, { session });
  }

  async function replayIn(session: ClientSession, accountId: string, replay: Replay): Promise<ReplayOutcome> {
    const { eventId, destinationId, otherwise, now, since } = replay;
    const event = await events.findOne<Head>(oneEvent(accountId, eventId, since), {
      session,
      projection: { body: 0 },
    });
    if (event === null) return 'noEvent';
    const own = await existing(session, accountId, event.destinationIds);
    const all = own.length > 0 ? own : await existing(session, accountId, otherwise);
    if (all.length === 0) return 'noDestination';
    const wanted = destinationId === undefined ? all : all.filter((id) => id === destinationId);
    if (wanted.length === 0) return 'otherDestination';
    for (const id of wanted) await openAttempt(session, event, id, now);
    await writeSummary(session, event, wanted);
    return 'queued';
  }

  function inTransaction<T>(
    accountId: string,
    eventIds: readonly string[],
    write: (session: ClientSession) => Promise<T>,
  ): Promise<T> {
    const changed = eventIds.map((id) => ({ accountId, id }));
    return counts.changing(changed, () => store.withTransaction(write));
  }

  return {
    replay: (accountId, replay) =>
      inTransaction(accountId, [replay.eventId], (session) => replayIn(session, accountId, replay)),

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

    perform: ({ document: { _id, accountId, eventIds, destinationId }, token }, at) =>
      inTransaction(accountId, eventIds, async (session) => {
        const { deletedCount } = await replays.deleteOne(
          { accountId, _id, 'due.claim.token': token },
          { session },
        );
        if (deletedCount === 0) return;
        const rest = { destinationId: destinationId ?? undefined, otherwise: [], ...at };
        for (const eventId of eventIds) await replayIn(session, accountId, { eventId, ...rest });
      }),
  };
}
