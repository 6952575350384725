import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { FetchResult } from './use-cases/fetch-events.ts';

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 10_000;

/** Fetches the events of one service whenever it is run, except for a while after a failure. */
export interface SourceFollower {
  /** Never rejects. Only the first failure in a row is logged. */
  run(ctx: RequestContext): Promise<void>;
  /** Milliseconds since a fetch last found nothing left. */
  lagMs(): number;
}

/** A follower of the service `source`. After failures in a row it pauses for 2, 4, 8 and then always 10 seconds. */
export function createSourceFollower(o: {
  readonly source: string;
  readonly fetch: (ctx: RequestContext) => Promise<FetchResult>;
  readonly lease: { release(): Promise<void> };
  readonly clock: Clock;
  readonly log: Logger;
}): SourceFollower {
  const { source, clock, log } = o;
  const nowMs = (): number => clock.now().getTime();
  let completeMs = nowMs();
  let failures = 0;
  let pausedUntilMs = 0;

  async function recordFailure(cause: unknown): Promise<void> {
    if (failures === 0) log.warn({ err: cause, source }, 'audit events cannot be fetched; trying again');
    pausedUntilMs = nowMs() + Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
    failures += 1;
    // Another replica may reach a service that this replica cannot reach. A lease that cannot be released expires.
    await o.lease.release().catch(() => undefined);
  }

  return {
    async run(ctx) {
      if (nowMs() < pausedUntilMs) return;
      try {
        const { isHolder, completeAt } = await o.fetch(ctx);
        completeMs = completeAt?.getTime() ?? completeMs;
        // A fetch by another replica does not show that this replica could fetch.
        if (!isHolder) return;
        if (failures > 0) log.info({ source }, 'audit events are fetched again');
        failures = 0;
      } catch (error) {
        if (!ctx.signal.aborted) await recordFailure(error);
      }
    },
    lagMs: () => Math.max(0, nowMs() - completeMs),
  };
}
