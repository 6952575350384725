import { rememberRecent } from '@fairlead/service-kit/cache/recent-entries';
import type { Clock } from '@fairlead/service-kit/clock';

/** Bounds how often something happens, for each key by itself. */
export interface RateBound {
  /** Whether it may happen once more now; then it counts. */
  take(key: string): boolean;
}

interface Bucket {
  left: number;
  atMs: number;
}

/** A key that was dropped for newer ones begins anew. */
const MAX_KEYS = 10_000;

/** At most `burst` at once, and `perSecond` in the long run. Each replica counts by itself. */
export function createRateBound(o: {
  readonly perSecond: number;
  readonly burst: number;
  readonly clock: Clock;
}): RateBound {
  const buckets = new Map<string, Bucket>();
  return {
    take(key) {
      const nowMs = o.clock.now().getTime();
      const bucket = buckets.get(key) ?? { left: o.burst, atMs: nowMs };
      const elapsedMs = Math.max(0, nowMs - bucket.atMs);
      bucket.left = Math.min(o.burst, bucket.left + (elapsedMs * o.perSecond) / 1_000);
      bucket.atMs = nowMs;
      rememberRecent(buckets, key, bucket, MAX_KEYS);
      if (bucket.left < 1) return false;
      bucket.left -= 1;
      return true;
    },
  };
}
