/** The result of counting a call. */
export type HourlyCall =
  | {
      readonly outcome: 'admitted';
      /** Counts the call no longer, in its hour; to be called once at most. */
      giveBack(): Promise<void>;
    }
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
