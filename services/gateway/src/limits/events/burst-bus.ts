import { BurstCountedSchema } from '@fairlead/contracts/gateway/v1/limit_events_pb';
import type { CountBus } from '@fairlead/limiter/shared-counts';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import { ACCOUNT_LIMIT } from '../domain/budget-limits.ts';

const burstCounted = defineEvent(BurstCountedSchema);

/** Publishes counts of accounts' calls, at most once, on one subject that every replica subscribes to. */
export function natsBurstBus(nats: Nats): CountBus {
  return {
    publish: ({ replica, second, counts, isLeaving }) =>
      nats.publish(burstCounted, {
        replica,
        second,
        counts: counts.map(({ key, calls }) => ({
          accountId: key,
          calls: calls['burst'] ?? 0,
          searches: calls['search'] ?? 0,
          accountCalls: calls[ACCOUNT_LIMIT] ?? 0,
        })),
        isLeaving,
      }),
    subscribe: (receive) =>
      nats.subscribe(burstCounted, ({ replica, second, counts, isLeaving }) =>
        receive({
          replica,
          second,
          counts: counts.map(({ accountId, calls, searches, accountCalls }) => ({
            key: accountId,
            calls: { burst: calls, search: searches, [ACCOUNT_LIMIT]: accountCalls },
          })),
          isLeaving,
        }),
      ),
  };
}
