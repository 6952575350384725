/** The budgets whose counts all replicas share: two of an hour, which are leased, and one of a minute. */
export type SharedBudget = 'hourly' | 'searchHourly' | 'triggerTest';

/** One window of one budget of one account. */
export interface Window {
  readonly accountId: string;
  readonly budget: SharedBudget;
  /** Milliseconds since 1970. */
  readonly startsAt: number;
}

/** What is asked of a window in one step. */
export interface Order {
  readonly limit: number;
  /** Calls that were taken before and are given back first. */
  readonly returned: number;
  /** Calls that wait for it. */
  readonly demand: number;
  /** Calls that may come, beside those. */
  readonly extra: number;
}

/** What a window granted, and how much of it is taken since then, by everybody. */
export interface Grant {
  readonly granted: number;
  readonly used: number;
}

/** Counts that every replica takes from. A step is atomic and lasts: it is never forgotten once it was answered. */
export interface WindowStore {
  /**
   * Gives back, then takes what {@link grantOf} says. A rejection leaves open whether that happened; what was given back
   * is then no longer the caller's.
   */
  exchange(window: Window, order: Order): Promise<Grant>;
  /** Gives back only; a window that is over or gone is passed over. A rejection leaves open which of them were. */
  giveBack(returns: readonly { readonly window: Window; readonly amount: number }[]): Promise<void>;
}

/** Of what is left, callers who only provide for calls to come get the share 1/8, so that they never take the last. */
export const TAIL_SHARE = 8;

/**
 * How many calls a window grants that has `left`: what is waited for as far as there is, and more only where plenty is
 * left, so that near the end nobody holds what another needs.
 */
export function grantOf(left: number, { demand, extra }: Pick<Order, 'demand' | 'extra'>): number {
  const waitedFor = Math.max(0, Math.min(left, demand));
  return waitedFor + Math.max(0, Math.min(extra, Math.floor((left - waitedFor) / TAIL_SHARE)));
}
