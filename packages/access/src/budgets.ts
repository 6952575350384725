/** How much an account may call; positive integers. Windows are fixed UTC seconds, minutes and hours (rows completion.everywhere.51 to 67). */
export interface Budgets {
  /** Calls per second. */
  readonly burstPerSecond: number;
  /** Calls per hour. */
  readonly hourly: number;
  /** Searches per second, within the budgets above. */
  readonly searchPerSecond: number;
  /** Searches per hour, within the budgets above. */
  readonly searchPerHour: number;
  readonly triggerTestPerMinute: number;
  /** Calls per second to each inbound hook. */
  readonly hookPerSecond: number;
}

/** The budgets of a new account. */
export const DEFAULT_BUDGETS: Budgets = {
  burstPerSecond: 50,
  hourly: 20_000,
  searchPerSecond: 5,
  searchPerHour: 1_000,
  triggerTestPerMinute: 10,
  hookPerSecond: 100,
};
