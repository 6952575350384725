/** A bucket of attempts: `capacity` at once, and one more each `refillMs`. */
export interface Bucket {
  readonly kind: string;
  readonly source: string;
  readonly capacity: number;
  readonly refillMs: number;
}

/** Counts attempts across all replicas. */
export interface AttemptBuckets {
  /** Counts an attempt and returns 0. A full bucket counts nothing; returns the milliseconds until it accepts one again. */
  take(bucket: Bucket): Promise<number>;
  /** Uncounts one attempt. */
  giveBack(bucket: Bucket): Promise<void>;
  /** Uncounts all. */
  forget(bucket: Bucket): Promise<void>;
}
