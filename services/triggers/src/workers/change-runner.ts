import type { RepeatedWork } from '@fairlead/service-kit/lifecycle/background';
import type { Claim, Claims } from '@fairlead/service-kit/sweep/claims';
import { startSweep } from '@fairlead/service-kit/sweep/sweep';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { systemTimers } from '@fairlead/service-kit/timers';
import type { ConnectionChange } from '../domain/connection-change.ts';
import { fireChange } from '../use-cases/fire-change.ts';
import type { FireChangeDeps } from '../use-cases/fire-change.ts';

const PER_ACCOUNT = 4;
const IN_PROGRESS = 50;
/** Longer than running the filters for a page of triggers. */
const CLAIM_MS = 30_000;
const IDLE_MS = 1_000;
/** Pause before a filter that could not be run is retried. */
const LATER_MS = 5_000;

/** In the background, fires triggers for changes of connections, on all replicas; accounts do not wait for each other. */
export function startChangeRunner<T extends object>(
  deps: FireChangeDeps & {
    readonly claims: Claims<T>;
    readonly changeOf: (document: T) => {
      readonly change: ConnectionChange;
      readonly firedUntil: string | null;
    };
    /** Removes a change that has fired. */
    readonly remove: (claimed: Claim<T>) => Promise<void>;
    readonly log: Logger;
  },
): RepeatedWork {
  const { claims, changeOf, remove, clock, log } = deps;
  return startSweep({
    name: 'connection-changes',
    claims,
    perPartition: PER_ACCOUNT,
    inProgress: IN_PROGRESS,
    goesOn: true,
    claimMs: CLAIM_MS,
    idleMs: IDLE_MS,
    clock,
    timers: systemTimers,
    log,
    async work(claimed, signal) {
      const { change, firedUntil } = changeOf(claimed.document);
      const fired = await fireChange(deps, change, firedUntil, signal);
      switch (fired.kind) {
        case 'done':
          await remove(claimed);
          return undefined;
        case 'more':
          return { at: clock.now(), set: { firedUntil: fired.firedUntil } };
        case 'later':
          return { at: new Date(clock.now().getTime() + LATER_MS) };
      }
    },
  });
}
