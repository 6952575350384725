import { rememberRecent } from '@fairlead/service-kit/cache/recent-entries';
import type { Clock } from '@fairlead/service-kit/clock';

/** Limits the rate of something, per key. */
export interface RateBound {
  /** Takes a permit; false: there is none at present. */
  take(key: string): boolean;
}

interface Bucket {
  left: number;
  atMs: number;
}

/** A key that was evicted for newer ones starts again with a full burst. */
const MAX_KEYS = 10_000;

/** Creates a token bucket per key: at most `burst` at once, and `perSecond` in the long run. Each replica counts separately. */
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
