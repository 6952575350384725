/** One window of one limit of one key. */
export interface Window {
  readonly key: string;
  /** The limit's name. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly startsAt: number;
}

/** One order from a window. */
export interface Order {
  readonly limit: number;
  /** Calls that were taken before and are returned first. */
  readonly returned: number;
  /** Calls that wait for the answer. */
  readonly demand: number;
  /** Future calls, in addition to those that wait. */
  readonly extra: number;
}

/** A window's grant, and how much of the window all replicas together have taken since it began. */
export interface Grant {
  readonly granted: number;
  readonly used: number;
}

/** Counts that every replica takes from. A step is atomic and durable once it is answered. */
export interface WindowStore {
  /**
   * Returns calls, then takes what {@link grantOf} grants. After a rejection it is unknown whether that happened; the
   * returned calls are then no longer the caller's.
   */
  fill(window: Window, order: Order): Promise<Grant>;
  /**
   * Only returns calls; skips windows that have ended or were deleted, and those that have had fewer calls. After a rejection it
   * is unknown which were updated.
   */
  giveBack(returns: readonly { readonly window: Window; readonly amount: number }[]): Promise<void>;
}

/** Future calls get at most this fraction (1/8) of what is left, so that they never take the last. */
export const TAIL_SHARE = 8;

/**
 * How many calls a window with `left` grants: the waiting calls as far as possible, and more only if plenty is
 * left, so that near the end no replica holds what another needs.
 */
export function grantOf(left: number, { demand, extra }: Pick<Order, 'demand' | 'extra'>): number {
  const waitedFor = Math.max(0, Math.min(left, demand));
  return waitedFor + Math.max(0, Math.min(extra, Math.floor((left - waitedFor) / TAIL_SHARE)));
}
