/** The events stored by the delivery service. */
export interface Ledger {
  /** The events that are missing from the ledger. */
  findMissing(eventIds: readonly string[]): Promise<readonly string[]>;
}
