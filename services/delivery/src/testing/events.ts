import { prefixedId } from '@fairlead/service-kit/ids';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { Binary } from 'mongodb';
import type { Delivery, DeliveryState, OpenAttempt, SettledAttempt } from '../domain/delivery.ts';
import { deliveryId } from '../domain/delivery.ts';
import { eventDeliveryOf } from '../domain/event-delivery.ts';
import { lagOf } from '../domain/lag.ts';
import type { EventView } from '../ports/event-store.ts';
import { deliveryCollection } from '../storage/delivery.collection.ts';
import type { DeliveryDocument } from '../storage/delivery.collection.ts';
import { destinationCollection } from '../storage/destination.collection.ts';
import type { DestinationDocument } from '../storage/destination.collection.ts';
import { eventCollection } from '../storage/event.collection.ts';
import type { EventDocument } from '../storage/event.collection.ts';

/** The default time of everything here. */
export const NOON = new Date('2026-11-22T12:00:00.000Z');

/** A time relative to noon. */
export function minutesAfterNoon(minutes: number): Date {
  return new Date(NOON.getTime() + minutes * 60_000);
}

/** The queued attempt for `destinationId`, due at noon, unless overridden. */
export function queuedAttempt(o: Partial<OpenAttempt> = {}): OpenAttempt {
  return {
    destinationId: 'dst_1',
    queue: 0,
    at: NOON,
    dueAt: NOON,
    createdAt: NOON,
    cause: 'ladder',
    claim: null,
    lostClaims: 0,
    ...o,
  };
}

/** The first attempt, which failed with a 500, unless overridden. */
export function settledAttempt(o: Partial<SettledAttempt> = {}): SettledAttempt {
  return {
    attempt: 1,
    state: 'failed',
    statusCode: 500,
    error: 'http_500',
    durationMs: 12,
    createdAt: NOON,
    ...o,
  };
}

/** A delivery whose first attempt is due, unless overridden. */
export function delivery(o: Partial<Delivery> = {}): Delivery {
  return {
    accountId: 'acc_1',
    eventId: 'te_1',
    destinationId: 'dst_1',
    capturedAt: NOON,
    state: 'pending',
    ladder: 0,
    attempts: [],
    isOnly: true,
    ...o,
  };
}

/** An event that was delivered to its only destination, unless overridden. */
export function eventView(o: Partial<EventView['event']> = {}, deliveries?: readonly Delivery[]): EventView {
  const event = {
    id: 'te_1',
    triggerId: 'trg_1',
    triggerType: 'schedule',
    occurredAt: NOON,
    capturedAt: NOON,
    body: Buffer.from('{"id":"te_1","payload":{}}'),
    payloadTruncated: false,
    payloadHash: 'sha256:00',
    destinationIds: ['dst_1'],
    ...o,
  };
  const delivered = delivery({ state: 'delivered', attempts: [settledAttempt({ state: 'delivered' })] });
  return { event, deliveries: deliveries ?? [delivered] };
}

export interface StoredEvent {
  readonly accountId: string;
  readonly triggerId?: string;
  readonly occurredAt?: Date;
  readonly capturedAt?: Date;
  /** JSON text; by default an object of `bodyBytes` bytes. */
  readonly payload?: string;
  readonly bodyBytes?: number;
  /** State per destination; by default `delivered` at dst_1. */
  readonly states?: Readonly<Record<string, DeliveryState>>;
  readonly attempts?: readonly SettledAttempt[];
  /** Failed attempts of the retry ladder; none by default. */
  readonly ladder?: number;
  readonly open?: Partial<OpenAttempt>;
}

/** Stores an event with its deliveries, like the ledger; returns its id. */
export async function storeEvent(store: Pick<MongoStore, 'collection'>, o: StoredEvent): Promise<string> {
  const { accountId, triggerId = 'trg_1', capturedAt = NOON, occurredAt = capturedAt } = o;
  const { states = { dst_1: 'delivered' }, attempts = [], ladder = 0, bodyBytes = 0 } = o;
  const { payload = JSON.stringify({ text: 'x'.repeat(bodyBytes) }) } = o;
  const destinationIds = Object.keys(states);
  const isOnly = destinationIds.length === 1;
  const id = prefixedId('te', capturedAt);
  const head = JSON.stringify({ id, type: 'schedule', trigger_id: triggerId, occurred_at: occurredAt });
  const tail = '"payload_truncated":false,"payload_hash":"sha256:00"}';
  const body = `${head.slice(0, -1)},"payload":${payload},${tail}`;
  const lag = lagOf({ occurredAt, capturedAt });
  const common = { accountId, triggerId, occurredAt, capturedAt, ...(lag !== undefined && { lag }) };
  const event: EventDocument = {
    ...common,
    _id: id,
    triggerType: 'schedule',
    body: new Binary(Buffer.from(body)),
    payloadTruncated: false,
    payloadHash: 'sha256:00',
    destinationIds,
    firingKey: id,
    ...(!isOnly && { states, delivery: eventDeliveryOf(Object.values(states)) }),
  };
  const deliveries = destinationIds.map((destinationId): DeliveryDocument => {
    const state = states[destinationId] ?? 'pending';
    const open = queuedAttempt({ destinationId, createdAt: capturedAt, ...o.open });
    return {
      ...common,
      _id: deliveryId(id, destinationId),
      eventId: id,
      destinationId,
      state,
      ladder,
      attempts,
      isOnly,
      ...(state === 'pending' && { open }),
    };
  });
  await store.collection(eventCollection).insertOne(event);
  if (deliveries.length > 0) await store.collection(deliveryCollection).insertMany(deliveries);
  return id;
}

/** Stores destinations of an account, enabled unless overridden. */
export async function storeDestinations(
  store: Pick<MongoStore, 'collection'>,
  accountId: string,
  destinations: Readonly<Record<string, Partial<DestinationDocument>>>,
): Promise<void> {
  const documents = Object.entries(destinations).map(([_id, o]): DestinationDocument => ({
    _id,
    accountId,
    name: _id,
    url: 'https://receiver.example/',
    secret: new Binary(Buffer.alloc(1)) as unknown as DestinationDocument['secret'],
    headerNames: [],
    headers: null,
    disabledReason: null,
    deadStreak: [],
    maxConsecutiveFailures: 5,
    epoch: 0,
    resumeFrom: null,
    isDeleted: false,
    upkeep: null,
    createdAt: NOON,
    updatedAt: NOON,
    ...o,
  }));
  await store.collection(destinationCollection).insertMany(documents);
}
