/** What the service that delivers has stored. */
export interface Ledger {
  /** Those of these events that it does not have. */
  findMissing(eventIds: readonly string[]): Promise<readonly string[]>;
}
