/** Where uses of keys are recorded. */
export interface KeyUseStore {
  /** Moves the last use of each key, by its id, on to the given time; a later one stays. */
  recordUses(uses: ReadonlyMap<string, Date>): Promise<void>;
}
