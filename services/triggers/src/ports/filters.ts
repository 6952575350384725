/** For whom a filter is parsed or run, and until when. */
export interface FilterOptions {
  readonly accountId: string;
  readonly signal: AbortSignal;
}

/** Whether a firing becomes an event; `failed`: no, and `message` says why for people. */
export type FilterVerdict =
  | { readonly kind: 'passed' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'failed'; readonly message: string };

/** The expressions of accounts that decide which firings are events. */
export interface Filters {
  /** Runs a filter over a payload, which is JSON in UTF-8. RATE_LIMIT_EXCEEDED if it could not be run in time. */
  run(filter: string, payload: Uint8Array, o: FilterOptions): Promise<FilterVerdict>;
  /** Why a text is not JSONata; undefined: it is. UNAVAILABLE if it could not be parsed in time. */
  syntaxIssue(text: string, o: FilterOptions): Promise<string | undefined>;
}
