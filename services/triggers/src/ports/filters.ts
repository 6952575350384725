/** The account whose worker runs a filter, and the deadline. */
export interface FilterOptions {
  readonly accountId: string;
  readonly signal: AbortSignal;
}

/** Whether a firing becomes an event; `failed`: it does not, and `message` says why, for people. */
export type FilterVerdict =
  | { readonly kind: 'passed' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'failed'; readonly message: string };

/** Runs accounts' filter expressions, which decide which firings become events. */
export interface Filters {
  /** Runs a filter over a payload (JSON in UTF-8). RATE_LIMIT_EXCEEDED if it could not be run in time. */
  run(filter: string, payload: Uint8Array, o: FilterOptions): Promise<FilterVerdict>;
  /** Why the text is not JSONata; undefined: it is. UNAVAILABLE if it could not be parsed in time. */
  syntaxIssue(text: string, o: FilterOptions): Promise<string | undefined>;
}
