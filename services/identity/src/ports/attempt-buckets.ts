/** A bucket of attempts: `capacity` at once, then one per `refillMs`. */
export interface Bucket {
  readonly kind: string;
  readonly source: string;
  readonly capacity: number;
  readonly refillMs: number;
}

/** Counts attempts across all replicas. */
export interface AttemptBuckets {
  /** Counts an attempt and returns 0. If the bucket is full, counts nothing and returns the milliseconds until it admits one. */
  take(bucket: Bucket): Promise<number>;
  /** Undoes the count of one attempt. */
  giveBack(bucket: Bucket): Promise<void>;
  /** Uncounts all. */
  forget(bucket: Bucket): Promise<void>;
}
