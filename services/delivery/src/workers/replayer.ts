import type { Clock } from '@fairlead/service-kit/clock';
import type { BackgroundWork } from '@fairlead/service-kit/lifecycle/background';
import type { Claimed, Claims } from '@fairlead/service-kit/sweep/claims';
import { startSweep } from '@fairlead/service-kit/sweep/sweep';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Timers } from '@fairlead/service-kit/timers';
import { keptSince } from '../domain/event.ts';
import type { WakeAttempts } from '../ports/due-attempts.ts';

/** What replays the events of a claimed document and removes it. */
interface ClaimedReplays<T extends object> {
  perform(claimed: Claimed<T>, at: { readonly now: Date; readonly since: Date }): Promise<void>;
}

const PER_ACCOUNT = 1;
const IN_PROGRESS = 5;
/** Longer than a transaction may take. */
const CLAIM_MS = 90_000;

/** Replays the events of requests to replay many, in the background. */
export function startReplayer<T extends object>({
  claims,
  replays,
  wakeAttempts,
  clock,
  timers,
  log,
}: {
  readonly claims: Claims<T>;
  readonly replays: ClaimedReplays<T>;
  readonly wakeAttempts: WakeAttempts;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
}): BackgroundWork {
  return startSweep({
    name: 'replays',
    claims,
    perLane: PER_ACCOUNT,
    inProgress: IN_PROGRESS,
    claimMs: CLAIM_MS,
    clock,
    timers,
    log,
    async work(claimed) {
      const now = clock.now();
      await replays.perform(claimed, { now, since: keptSince(now) });
      wakeAttempts();
      return undefined;
    },
  });
}
