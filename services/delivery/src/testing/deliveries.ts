import { Secret } from '@fairlead/service-kit/secret';
import { deliveryId } from '../domain/delivery.ts';
import type { CapturedEvent } from '../domain/event.ts';
import type { ClaimedDelivery } from '../ports/delivery-store.ts';
import type { DeliveryTarget } from '../ports/targets.ts';

const NOON = new Date('2026-11-22T12:00:00.000Z');

/** An enabled destination of acc_1, unless overridden. */
export function target(o: Partial<DeliveryTarget> = {}): DeliveryTarget {
  return {
    id: 'dst_1',
    accountId: 'acc_1',
    url: 'https://receiver.example/in',
    secret: new Secret('whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='),
    headers: new Secret({}),
    isEnabled: true,
    epoch: 0,
    resumeFrom: null,
    isCurrent: () => true,
    ...o,
  };
}

/** An event of acc_1 for dst_1, captured at noon, unless overridden. */
export function capturedEvent(o: Partial<CapturedEvent> = {}): CapturedEvent {
  const id = o.id ?? 'te_1';
  return {
    id,
    accountId: 'acc_1',
    triggerId: 'trg_1',
    triggerType: 'http_webhook',
    occurredAt: NOON,
    capturedAt: NOON,
    body: Buffer.from(JSON.stringify({ id, payload: { number: 1 } })),
    payloadTruncated: false,
    payloadHash: `sha256:${'0'.repeat(64)}`,
    destinationIds: ['dst_1'],
    firingKey: id,
    ...o,
  };
}

/** A delivery's first attempt, claimed for 30 s from noon, unless overridden. */
export function claimedDelivery(o: Partial<ClaimedDelivery> = {}): ClaimedDelivery {
  const until = new Date(NOON.getTime() + 30_000);
  return {
    accountId: 'acc_1',
    eventId: 'te_1',
    destinationId: 'dst_1',
    triggerId: 'trg_1',
    capturedAt: NOON,
    state: 'pending',
    ladder: 0,
    attempts: [],
    isOnly: true,
    open: {
      destinationId: 'dst_1',
      queue: 0,
      at: until,
      dueAt: NOON,
      createdAt: NOON,
      cause: 'ladder',
      claim: { token: deliveryId('te_1', 'dst_1'), by: 'replica', until },
      lostClaims: 0,
    },
    ...o,
  };
}
