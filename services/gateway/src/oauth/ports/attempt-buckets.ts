/** A bucket of attempts: so many at once, and one more each `refillMs`. */
export interface Bucket {
  readonly kind: string;
  readonly source: string;
  readonly capacity: number;
  readonly refillMs: number;
}

/** Where attempts are counted, for all replicas together. */
export interface AttemptBuckets {
  /** Counts an attempt: 0. A full bucket counts nothing: the milliseconds until it takes one again. */
  take(bucket: Bucket): Promise<number>;
  /** Uncounts one attempt. */
  giveBack(bucket: Bucket): Promise<void>;
  /** Uncounts all. */
  forget(bucket: Bucket): Promise<void>;
}
