/** How many calls a key may make in a fixed UTC window. */
export interface Limit {
  /** Tells the limits of a key apart: one of few names, because it labels metrics. */
  readonly name: string;
  readonly window: 'second' | 'hour';
  /** Calls per window; a positive integer. */
  readonly max: number;
}

/** What the limiter says about one call. */
export type Decision = Admission | Refusal | Unavailable;

/** The call is admitted and counted. */
interface Admission {
  readonly outcome: 'admitted';
  /** Calls left of each limit after this one, in the order of the limits. */
  readonly remaining: readonly number[];
  /** When this was decided, in milliseconds since 1970. */
  readonly atMs: number;
}

/** The call is refused and counted nowhere. */
interface Refusal {
  readonly outcome: 'refused';
  /** The longest window that is full. */
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
