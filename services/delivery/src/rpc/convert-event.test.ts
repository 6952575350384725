import { EventDelivery } from '@fairlead/contracts/delivery/v1/event_pb';
import { expect, test } from 'vitest';
import { delivery, eventView } from '../testing/events.ts';
import { toEvent } from './convert-event.ts';

test('what becomes of an event is told by its deliveries; one that is not visible yet is pending', () => {
  const [one, both] = [['dst_1'], ['dst_1', 'dst_2']];
  const delivered = delivery({ state: 'delivered' });
  expect(toEvent(eventView({ destinationIds: one }, [delivered])).delivery).toBe(EventDelivery.DELIVERED);
  expect(toEvent(eventView({ destinationIds: both }, [delivered])).delivery).toBe(EventDelivery.PENDING);
  expect(toEvent(eventView({ destinationIds: one }, [])).delivery).toBe(EventDelivery.PENDING);
  expect(toEvent(eventView({ destinationIds: [] }, [])).delivery).toBe(EventDelivery.NONE);
});
