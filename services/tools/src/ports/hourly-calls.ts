/** The result of counting a call. */
export type HourlyCall =
  | { readonly outcome: 'admitted' }
  | {
      readonly outcome: 'refused';
      /** Seconds until the next hour begins. */
      readonly retryAfterSeconds: number;
    }
  | { readonly outcome: 'unavailable' };

/** The calls of toolsets in the current UTC hour, counted over all replicas. */
export interface HourlyCalls {
  /** Counts a call of a toolset, unless `max` calls of the hour are used up; then it counts nothing. */
  take(accountId: string, toolsetId: string, max: number): Promise<HourlyCall>;
}
