import type { DeliveryState } from './delivery.ts';

/** The delivery state of an event over all of its destinations. */
export type EventDelivery = DeliveryState | 'none';

/** The first of these that any destination has is the event's. */
export const BY_WEIGHT: readonly DeliveryState[] = ['pending', 'deadLettered', 'held', 'delivered'];

/** The delivery state of an event whose deliveries have these states; without any, `none`. */
export function eventDeliveryOf(states: readonly DeliveryState[]): EventDelivery {
  return BY_WEIGHT.find((state) => states.includes(state)) ?? 'none';
}
