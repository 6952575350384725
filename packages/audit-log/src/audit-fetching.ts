import { createRequestContext } from '@fairlead/service-kit/context/context';
import type { Clock } from '@fairlead/service-kit/clock';
import { uuidv7 } from '@fairlead/service-kit/ids';
import { repeatInBackground } from '@fairlead/service-kit/lifecycle/background';
import type { RepeatedWork } from '@fairlead/service-kit/lifecycle/background';
import { createLease } from '@fairlead/service-kit/mongo/lease';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { FetchedEventLog } from './audit-log.ts';
import { recordLostEvent, watchLag } from './audit-metrics.ts';
import type { EventSource } from './ports/event-source.ts';
import { createSourceFollower } from './source-follower.ts';
import { auditCursorRepository } from './storage/audit-cursor.repository.ts';
import { fetchEvents } from './use-cases/fetch-events.ts';

/**
 * A service that has recorded events sends a hint (service-kit changes/change-hints), which wakes the fetching; this interval covers hints
 * that were lost.
 */
const EVERY_MS = 5_000;
/** How long events may wait after the fetching replica was killed. */
const LEASE_MS = 10_000;

/**
 * Fetches a service's audit events and writes their entries, every five seconds and whenever it is woken, on one replica at a time, until
 * closed.
 */
export function startAuditFetching(o: {
  readonly source: EventSource;
  readonly store: MongoStore;
  readonly events: FetchedEventLog;
  readonly clock: Clock;
  readonly log: Logger;
  /** Milliseconds between two fetches; default: 5 000. */
  readonly everyMs?: number;
}): RepeatedWork {
  const { source, clock, log, everyMs = EVERY_MS } = o;
  const lease = createLease(o.store, `audit-events-${source.name}`, LEASE_MS);
  const deps = {
    source,
    positions: auditCursorRepository(o.store),
    events: o.events,
    lease,
    clock,
    reportUnreadable({ number, problem }: { readonly number: string; readonly problem: string }) {
      recordLostEvent();
      log.error({ source: source.name, number, problem }, 'an audit event cannot be read and has no entry');
    },
  };
  const follower = createSourceFollower({
    source: source.name,
    fetch: (ctx) => fetchEvents(deps, ctx),
    lease,
    clock,
    log,
  });
  const unwatch = watchLag(() => follower.lagMs());
  const work = repeatInBackground({
    name: `audit events of ${source.name}`,
    everyMs,
    log,
    work: (signal) => {
      const caller = { kind: 'service', service: 'gateway' } as const;
      return follower.run(createRequestContext({ requestId: uuidv7(clock.now()), caller, signal, log }));
    },
  });
  return {
    wake: () => work.wake(),
    async close() {
      unwatch();
      await work.close();
      await lease.release();
    },
  };
}
