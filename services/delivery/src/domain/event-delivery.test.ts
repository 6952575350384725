import { expect, it } from 'vitest';
import type { DeliveryState } from './delivery.ts';
import { eventDeliveryOf } from './event-delivery.ts';

it.each<[string, DeliveryState[]]>([
  ['pending', ['delivered', 'held', 'deadLettered', 'pending']],
  ['deadLettered', ['delivered', 'held', 'deadLettered']],
  ['held', ['delivered', 'held']],
  ['delivered', ['delivered', 'delivered']],
  ['none', []],
])('an event is %s', (delivery, states) => {
  expect(eventDeliveryOf(states)).toBe(delivery);
});
