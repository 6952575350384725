/** When an application was first seen and when it last changed. */
export interface PlatformApplicationTimes {
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Stores the times of the platform's applications. */
export interface PlatformStore {
  /**
   * Records the content hash of each slug and returns its times: a new slug was created now; one with another hash than before changed now.
   */
  recordAll(
    hashes: ReadonlyMap<string, string>,
    now: Date,
  ): Promise<ReadonlyMap<string, PlatformApplicationTimes>>;
}
