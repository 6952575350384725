/** One window of one limit of one key. */
export interface Window {
  readonly key: string;
  /** The limit's name. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly startsAt: number;
}

/** What is ordered from a window in one step. */
export interface Order {
  readonly limit: number;
  /** Calls that were taken before and are given back first. */
  readonly returned: number;
  /** Calls that wait for the answer. */
  readonly demand: number;
  /** Calls that may come, in addition to those that wait. */
  readonly extra: number;
}

/** What a window granted, and how much of it all replicas together have taken since it began. */
export interface Grant {
  readonly granted: number;
  readonly used: number;
}

/** Counts that every replica takes from. A step is atomic and durable once it is answered. */
export interface WindowStore {
  /**
   * Gives back, then takes what {@link grantOf} says. A rejection leaves open whether that happened; what was given back
   * is then no longer the caller's.
   */
  exchange(window: Window, order: Order): Promise<Grant>;
  /** Gives back only; skips windows that are over or gone. A rejection leaves open which of them were updated. */
  giveBack(returns: readonly { readonly window: Window; readonly amount: number }[]): Promise<void>;
}

/** Calls that only may come get at most this fraction (1/8) of what is left, so that they never take the last. */
export const TAIL_SHARE = 8;

/**
 * How many calls a window grants that has `left`: what is waited for as far as there is, and more only where plenty is
 * left, so that near the end no replica holds what another needs.
 */
export function grantOf(left: number, { demand, extra }: Pick<Order, 'demand' | 'extra'>): number {
  const waitedFor = Math.max(0, Math.min(left, demand));
  return waitedFor + Math.max(0, Math.min(extra, Math.floor((left - waitedFor) / TAIL_SHARE)));
}
