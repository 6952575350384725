/** How much an account may call; positive integers. Windows are fixed UTC seconds, minutes and hours (completion.md "Everywhere"). */
export interface Budgets {
  /** Calls a second. */
  readonly burstPerSecond: number;
  /** Calls an hour. */
  readonly hourly: number;
  /** Searches a second, within the budgets above. */
  readonly searchPerSecond: number;
  /** Searches an hour, likewise. */
  readonly searchPerHour: number;
  /** Trigger tests a minute. */
  readonly triggerTestPerMinute: number;
  /** Calls a second of each inbound hook. */
  readonly hookPerSecond: number;
}

/** The budgets of an account that nobody changed. */
export const DEFAULT_BUDGETS: Budgets = {
  burstPerSecond: 50,
  hourly: 20_000,
  searchPerSecond: 5,
  searchPerHour: 1_000,
  triggerTestPerMinute: 10,
  hookPerSecond: 100,
};
