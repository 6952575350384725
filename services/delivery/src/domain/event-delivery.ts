import type { DeliveryState } from './delivery.ts';

/** The delivery state of an event over all of its destinations. */
export type EventDelivery = DeliveryState | 'none';

/** In order of precedence: an event has the first state that any of its destinations has. */
export const BY_WEIGHT: readonly DeliveryState[] = ['pending', 'deadLettered', 'held', 'delivered'];

/** The delivery state of an event, from its deliveries' states; `none` without deliveries. */
export function eventDeliveryOf(states: readonly DeliveryState[]): EventDelivery {
  return BY_WEIGHT.find((state) => states.includes(state)) ?? 'none';
}
