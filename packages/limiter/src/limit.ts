/** How many calls a key may make in a fixed UTC window. */
export interface Limit {
  /** Identifies the limit within a key: one of few names, because it labels metrics. */
  readonly name: string;
  readonly window: 'second' | 'hour';
  /** Calls per window; a positive integer. */
  readonly max: number;
}

/** The limiter's decision on one call. */
export type Decision = Admission | Refusal | Unavailable;

/** The call is admitted and counted. */
interface Admission {
  readonly outcome: 'admitted';
  /** Calls left of each limit after this one, in the order of the limits. */
  readonly remaining: readonly number[];
  /** When this was decided, in milliseconds since 1970. */
  readonly atMs: number;
}

/** The call is refused and not counted. */
interface Refusal {
  readonly outcome: 'refused';
  /** The longest of the full windows. */
  readonly fullWindow: Limit['window'];
  /** Calls left of each limit, in the order of the limits. */
  readonly remaining: readonly number[];
  /** When this was decided, in milliseconds since 1970. */
  readonly atMs: number;
}

/** The call cannot be counted: the lease of its hour is spent and the store does not answer. */
interface Unavailable {
  readonly outcome: 'unavailable';
}
