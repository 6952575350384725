import { repeatInBackground } from '@fairlead/service-kit/lifecycle/background';
import type { BackgroundWork } from '@fairlead/service-kit/lifecycle/background';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';

const EVERY_MS = 60_000;

/** Removes old events in the background, on one replica at a time. */
export function startRetention(o: {
  readonly retention: {
    now(): Promise<Date>;
    removeSome(now: Date): Promise<boolean>;
  };
  readonly lease: { hold(): Promise<boolean>; release(): Promise<void> };
  readonly log: Logger;
}): BackgroundWork {
  const { retention, lease, log } = o;
  const work = repeatInBackground({
    name: 'retention',
    everyMs: EVERY_MS,
    log,
    async work(signal) {
      const now = await retention.now();
      while (!signal.aborted && (await lease.hold())) if (!(await retention.removeSome(now))) return;
    },
  });
  return {
    async close() {
      await work.close();
      await lease.release();
    },
  };
}
