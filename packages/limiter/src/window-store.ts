/** One window of one limit of one key. */
export interface Window {
  readonly key: string;
  /** The limit's name. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly startsAt: number;
}

/** One request of a replica to a window. */
export interface Order {
  readonly limit: number;
  /** Calls that were taken before and are returned first. */
  readonly returned: number;
  /** Calls that wait for the answer. */
  readonly demand: number;
  /** Calls for the future, in addition to those that wait. */
  readonly extra: number;
}

/** A window's grant, and how much of the window all replicas together have taken since it began. */
export interface Grant {
  readonly granted: number;
  readonly used: number;
}

/** Counts from which all replicas take. An operation is atomic, and durable once it is answered. */
export interface WindowStore {
  /**
   * Returns calls, then takes the calls that {@link grantOf} grants. After a rejection it is unknown whether that happened; the replica
   * must then no longer use the returned calls.
   */
  fillOrder(window: Window, order: Order): Promise<Grant>;
  /**
   * Only returns calls; skips windows that have ended, were deleted, or have counted fewer calls. After a rejection it is unknown which
   * were updated.
   */
  giveBack(returns: readonly { readonly window: Window; readonly amount: number }[]): Promise<void>;
}

/** Future calls get at most this fraction (1/8) of what is left, so that they never take the last. */
export const TAIL_SHARE = 8;

/**
 * How many calls a window with `left` calls grants: as many of the waiting calls as possible, and more only if plenty are left, so that
 * near the end no replica holds calls that another needs.
 */
export function grantOf(left: number, { demand, extra }: Pick<Order, 'demand' | 'extra'>): number {
  const waitedFor = Math.max(0, Math.min(left, demand));
  return waitedFor + Math.max(0, Math.min(extra, Math.floor((left - waitedFor) / TAIL_SHARE)));
}
