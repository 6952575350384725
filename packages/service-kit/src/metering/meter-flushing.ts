import { repeatInBackground } from '../lifecycle/background.ts';
import type { BackgroundWork } from '../lifecycle/background.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { DayMeter } from './day-meter.ts';

const EVERY_MS = 1_000;

/** Writes a meter's counts about once per second, and the rest at close. */
export function startMeterFlushing(o: {
  readonly meter: Pick<DayMeter, 'flush'>;
  readonly log: Logger;
}): BackgroundWork {
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
