import { createSharedReads } from '@fairlead/service-kit/cache/shared-reads';
import type { DeliveryTarget, TargetState, Targets } from '../ports/targets.ts';
import { MAX_READ_AGE_MS } from './read-age.ts';

/** Maximum number of cached destinations; each has a secret and headers. */
const MAX_TARGETS = 1_000;

/**
 * Destinations with reads that are shared for a moment; a result is never older than MAX_READ_AGE_MS. The age of a read counts from its
 * start.
 */
export function createCachedTargets(o: {
  readonly read: (destinationId: string) => Promise<TargetState | undefined>;
  /** A monotonic clock. Default: the process's. */
  readonly nowMs?: () => number;
}): Targets {
  const { nowMs = () => performance.now() } = o;
  const reads = createSharedReads<DeliveryTarget | undefined>({ capacity: MAX_TARGETS, nowMs });

  async function readAnew(destinationId: string, beganMs: number): Promise<DeliveryTarget | undefined> {
    const found = await o.read(destinationId);
    return found && { ...found, isCurrent: () => nowMs() - beganMs <= MAX_READ_AGE_MS };
  }

  return {
    async read(destinationId) {
      for (;;) {
        const { beganMs, value } = reads.read(destinationId, (ms) => readAnew(destinationId, ms));
        const target = await value;
        // A read that took longer than its allowed age is repeated.
        if (nowMs() - beganMs <= MAX_READ_AGE_MS) return target;
      }
    },
  };
}
