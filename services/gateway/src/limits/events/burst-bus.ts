import { BurstCountedSchema } from '@fairlead/contracts/gateway/v1/limit_events_pb';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import type { BurstBus } from '../burst-sharing.ts';

const burstCounted = defineEvent(BurstCountedSchema);

/** Counts travel at most once, over one subject that every replica hears. */
export function natsBurstBus(nats: Nats): BurstBus {
  return {
    publish: ({ counts, ...announcement }) =>
      nats.publish(burstCounted, { ...announcement, counts: [...counts] }),
    subscribe: (hear) => nats.subscribe(burstCounted, hear),
  };
}
