/** The store of key uses. */
export interface KeyUseStore {
  /** Advances the last use of each key, by its id, to the given time; a later time is kept. */
  recordUses(uses: ReadonlyMap<string, Date>): Promise<void>;
}
