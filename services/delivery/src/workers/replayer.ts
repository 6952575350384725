import type { Clock } from '@fairlead/service-kit/clock';
import type { RepeatedWork } from '@fairlead/service-kit/lifecycle/background';
import type { Claim, Claims } from '@fairlead/service-kit/sweep/claims';
import { startSweep } from '@fairlead/service-kit/sweep/sweep';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Timers } from '@fairlead/service-kit/timers';
import { keptSince } from '../domain/event.ts';
import type { WakeAttempts } from '../ports/due-attempts.ts';

/** Replays the events of a claimed document and removes it. */
interface ClaimedReplays<T extends object> {
  perform(claimed: Claim<T>, at: { readonly now: Date; readonly since: Date }): Promise<void>;
}

const PER_ACCOUNT = 1;
const IN_PROGRESS = 5;
/** Longer than a transaction may take. */
const CLAIM_MS = 90_000;
/** Longest time spent on one account before others are checked. */
const TURN_MS = 10_000;

/** In the background, replays the events of bulk replays; when woken, it checks for new ones at once. */
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
}): RepeatedWork {
  let isClosing = false;
  const sweep = startSweep({
    name: 'replays',
    claims,
    perPartition: PER_ACCOUNT,
    inProgress: IN_PROGRESS,
    claimMs: CLAIM_MS,
    clock,
    timers,
    log,
    async work(claimed) {
      const endMs = clock.now().getTime() + TURN_MS;
      for (let next: Claim<T> | undefined = claimed; next !== undefined;) {
        const now = clock.now();
        await replays.perform(next, { now, since: keptSince(now) });
        wakeAttempts();
        if (isClosing || now.getTime() >= endMs) break;
        const until = new Date(now.getTime() + CLAIM_MS);
        [next] = await claims.claim(claimed.partition, { now, until, limit: 1 });
      }
      return undefined;
    },
  });
  return {
    wake: () => sweep.wake(),
    close() {
      isClosing = true;
      return sweep.close();
    },
  };
}
