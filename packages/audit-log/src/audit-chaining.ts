import { repeatInBackground } from '@fairlead/service-kit/lifecycle/background';
import type { BackgroundWork } from '@fairlead/service-kit/lifecycle/background';
import type { Clock } from '@fairlead/service-kit/clock';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { createLease } from '@fairlead/service-kit/mongo/lease';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { AuditStore } from './ports/audit-store.ts';
import { chainEntries } from './use-cases/chain-entries.ts';
import type { ChainKeys } from './domain/batch.ts';

const EVERY_MS = 1_000;
/** How long entries may wait after the chaining replica was killed. */
const LEASE_MS = 10_000;

/** Chains new audit entries about once per second, on one replica at a time, until closed. */
export function startAuditChaining(o: {
  readonly store: MongoStore;
  readonly entries: AuditStore;
  readonly keys: ChainKeys;
  readonly clock: Clock;
  readonly log: Logger;
}): BackgroundWork {
  const lease = createLease(o.store, 'audit-chaining', LEASE_MS);
  const deps = { store: o.entries, lease, keys: o.keys, clock: o.clock, log: o.log };
  const work = repeatInBackground({
    name: 'audit chaining',
    everyMs: EVERY_MS,
    log: o.log,
    work: (signal) => chainEntries(deps, signal),
  });
  return {
    async close() {
      await work.close();
      await lease.release();
    },
  };
}
