/** Tells of what changed in the catalogue. */
export interface CatalogueChanges {
  /**
   * Tells this replica at once, and every other one and every service that remembers answers of the catalogue as soon as
   * it can be told. Undefined: the platform's applications changed. Never rejects.
   */
  announce(accountId: string | undefined, requestId?: string): Promise<void>;
}
