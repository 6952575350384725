import type { Clock } from '@fairlead/service-kit/clock';
import type { BackgroundWork } from '@fairlead/service-kit/lifecycle/background';
import type { Claims, Settlement } from '@fairlead/service-kit/sweep/claims';
import { startSweep } from '@fairlead/service-kit/sweep/sweep';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Timers } from '@fairlead/service-kit/timers';

const IN_PROGRESS = 4;
const CLAIM_MS = 60_000;

/** Ends or holds deliveries of destinations that were deleted or enabled, in the background, some at a time. */
export function startDestinationUpkeep<T extends object>(o: {
  readonly claims: Claims<T>;
  readonly perform: (destination: T, now: Date) => Promise<Settlement | undefined>;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
}): BackgroundWork {
  const { claims, perform, clock, timers, log } = o;
  return startSweep({
    name: 'destinations',
    claims,
    work: ({ document }) => perform(document, clock.now()),
    perLane: 1,
    inProgress: IN_PROGRESS,
    claimMs: CLAIM_MS,
    clock,
    timers,
    log,
  });
}
