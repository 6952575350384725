/** For whom a filter is parsed or run, and until when. */
export interface FilterOptions {
  readonly accountId: string;
  readonly signal: AbortSignal;
}

/** The expressions of accounts that decide which firings are events. */
export interface Filters {
  /** Why a text is not JSONata; undefined: it is. UNAVAILABLE if it could not be parsed in time. */
  syntaxIssue(text: string, o: FilterOptions): Promise<string | undefined>;
}
