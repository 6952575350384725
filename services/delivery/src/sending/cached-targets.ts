import type { DeliveryTarget, ReadTarget, Targets } from '../ports/targets.ts';
import { MAX_READ_AGE_MS } from './read-age.ts';

/** Reads older than this are made anew, so that what is returned is never older than MAX_READ_AGE_MS. */
const FRESH_MS = MAX_READ_AGE_MS / 2;
/** Destinations that are remembered at a time; each holds a secret and some headers. */
const MAX_TARGETS = 1_000;

/** Destinations whose reads requests share for a moment. A read counts from when it began. */
export function createCachedTargets(o: {
  readonly read: (destinationId: string) => Promise<ReadTarget | undefined>;
  /** A monotonic clock. Default: the process's. */
  readonly nowMs?: () => number;
}): Targets {
  const { nowMs = () => performance.now() } = o;
  const reads = new Map<
    string,
    { readonly atMs: number; readonly target: Promise<DeliveryTarget | undefined> }
  >();

  async function readAnew(destinationId: string): Promise<DeliveryTarget | undefined> {
    const atMs = nowMs();
    const isCurrent = (): boolean => nowMs() - atMs <= MAX_READ_AGE_MS;
    const target = o.read(destinationId).then((found) => found && { ...found, isCurrent });
    reads.delete(destinationId);
    reads.set(destinationId, { atMs, target });
    const [oldest] = reads.keys();
    if (reads.size > MAX_TARGETS && oldest !== undefined) reads.delete(oldest);
    target.catch(() => reads.delete(destinationId));
    return await target;
  }

  return {
    async read(destinationId) {
      for (;;) {
        const known = reads.get(destinationId);
        const startMs = known !== undefined && nowMs() - known.atMs <= FRESH_MS ? known.atMs : nowMs();
        const target = await (startMs === known?.atMs ? known.target : readAnew(destinationId));
        // A read that took longer than it may be used for is made again.
        if (nowMs() - startMs <= MAX_READ_AGE_MS) return target;
      }
    },
  };
}
