/** The events that the delivery service has stored. */
export interface Ledger {
  /** The events that are missing from the ledger. */
  findMissing(eventIds: readonly string[]): Promise<readonly string[]>;
}
