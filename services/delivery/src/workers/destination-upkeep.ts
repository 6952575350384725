import type { Clock } from '@fairlead/service-kit/clock';
import type { BackgroundWork } from '@fairlead/service-kit/lifecycle/background';
import type { Claim, Claims, Settlement } from '@fairlead/service-kit/sweep/claims';
import { startSweep } from '@fairlead/service-kit/sweep/sweep';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Timers } from '@fairlead/service-kit/timers';

const IN_PROGRESS = 4;
const CLAIM_MS = 60_000;
/** Longest time spent on one destination before others are checked. */
const TURN_MS = 10_000;

/** In the background, ends or holds deliveries of destinations that were deleted or enabled, in batches (`perform`). */
export function startDestinationUpkeep<T extends object>(o: {
  readonly claims: Claims<T>;
  readonly perform: (destination: T, now: Date) => Promise<Settlement | undefined>;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
}): BackgroundWork {
  const { claims, perform, clock, timers, log } = o;
  let isClosing = false;

  async function work({ document }: Claim<T>): Promise<Settlement | undefined> {
    const endMs = clock.now().getTime() + TURN_MS;
    for (;;) {
      const now = clock.now();
      const settlement = await perform(document, now);
      const isMore = settlement !== undefined && settlement.at !== null && settlement.at <= now;
      if (!isMore || isClosing || now.getTime() >= endMs) return settlement;
    }
  }

  const sweep = startSweep({
    name: 'destinations',
    claims,
    work,
    perPartition: 1,
    inProgress: IN_PROGRESS,
    claimMs: CLAIM_MS,
    clock,
    timers,
    log,
  });
  return {
    close() {
      isClosing = true;
      return sweep.close();
    },
  };
}
