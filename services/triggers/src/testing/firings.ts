import { composeEvent } from '../domain/event.ts';
import type { CapturedEvent, Firing } from '../domain/event.ts';

/** A firing of an http_webhook trigger with one destination. */
export function firing(members: Partial<Firing> = {}): Firing {
  return {
    accountId: 'acc_1',
    triggerId: 'trg_1',
    triggerType: 'http_webhook',
    destinationIds: ['dst_1'],
    occurredAt: new Date('2026-11-22T10:00:00.000Z'),
    payload: Buffer.from('{"n":1}'),
    firingKey: 'k',
    ...members,
  };
}

/** The event of this firing. */
export function capturedEvent(
  id: string,
  members: Partial<Firing> & { capturedAt?: Date } = {},
): CapturedEvent {
  const { capturedAt = new Date('2026-11-22T10:00:01.000Z'), ...of } = members;
  return composeEvent(firing({ firingKey: id, ...of }), id, capturedAt);
}
