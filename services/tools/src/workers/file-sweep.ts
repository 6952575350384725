import type { Clock } from '@fairlead/service-kit/clock';
import type { BackgroundWork } from '@fairlead/service-kit/lifecycle/background';
import type { Claims } from '@fairlead/service-kit/sweep/claims';
import { startSweep } from '@fairlead/service-kit/sweep/sweep';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { systemTimers } from '@fairlead/service-kit/timers';

const PER_ACCOUNT = 2;
const IN_PROGRESS = 10;
/** Longer than removing the largest file takes. */
const CLAIM_MS = 60_000;

/** Removes expired or deleted files, and abandoned uploads, in the background. */
export function startFileSweep<T extends object>(o: {
  readonly claims: Claims<T>;
  /** Removes a claimed file; returns when it is due instead if it must not be removed yet. */
  readonly sweep: (document: T, now: Date) => Promise<Date | null>;
  readonly clock: Clock;
  readonly log: Logger;
}): BackgroundWork {
  const { claims, sweep, clock, log } = o;
  return startSweep({
    name: 'files',
    claims,
    perPartition: PER_ACCOUNT,
    inProgress: IN_PROGRESS,
    claimMs: CLAIM_MS,
    clock,
    timers: systemTimers,
    log,
    async work({ document }) {
      const at = await sweep(document, clock.now());
      // A removed document has no claim to settle.
      return at === null ? undefined : { at };
    },
  });
}
