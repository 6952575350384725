/** The result of counting a call. */
export type HourlyCall =
  | {
      readonly outcome: 'admitted';
      /** Undoes the count, in its hour; call it at most once. */
      giveBack(): Promise<void>;
    }
  | {
      readonly outcome: 'refused';
      /** Seconds until the next hour begins. */
      readonly retryAfterSeconds: number;
    }
  | { readonly outcome: 'unavailable' };

/** Calls of toolsets per UTC hour, counted over all replicas. */
export interface HourlyCalls {
  /** Counts a call of a toolset, unless the hour already has `max` calls. */
  take(accountId: string, toolsetId: string, max: number): Promise<HourlyCall>;
}
