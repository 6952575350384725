import { repeatInBackground } from '@fairlead/service-kit/lifecycle/background';
import type { BackgroundWork } from '@fairlead/service-kit/lifecycle/background';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { UsageMeter } from './usage-meter.ts';

const EVERY_MS = 1_000;

/** Writes a meter's counts about once per second, and the rest at close. */
export function startUsageFlushing(o: { readonly meter: UsageMeter; readonly log: Logger }): BackgroundWork {
  const work = repeatInBackground({
    name: 'usage flushing',
    everyMs: EVERY_MS,
    log: o.log,
    work: () => o.meter.flush(),
  });
  return {
    async close() {
      await work.close();
      await o.meter.flush();
    },
  };
}
