import { HookCountedSchema } from '@fairlead/contracts/gateway/v1/limit_events_pb';
import type { CountBus } from '@fairlead/limiter/shared-counts';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import { HOOK_LIMIT } from '../domain/budget-limits.ts';

const hookCounted = defineEvent(HookCountedSchema);

/** Publishes counts of calls to inbound addresses, at most once, on one subject that every replica subscribes to. */
export function natsHookBus(nats: Nats): CountBus {
  return {
    publish: ({ replica, second, counts, isLeaving }) =>
      nats.publish(hookCounted, {
        replica,
        second,
        counts: counts.map(({ key, calls }) => ({ triggerId: key, calls: calls[HOOK_LIMIT] ?? 0 })),
        isLeaving,
      }),
    subscribe: (receive) =>
      nats.subscribe(hookCounted, ({ replica, second, counts, isLeaving }) =>
        receive({
          replica,
          second,
          counts: counts.map(({ triggerId, calls }) => ({ key: triggerId, calls: { [HOOK_LIMIT]: calls } })),
          isLeaving,
        }),
      ),
  };
}
