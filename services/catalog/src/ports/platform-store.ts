/** When an application was first seen and when it last changed. */
export interface PlatformApplicationTimes {
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Keeps the times of the platform's applications. */
export interface PlatformStore {
  /**
   * Records the content hash of each slug and answers its times: a slug never seen was created now, one whose hash
   * differs from the last one changed now.
   */
  recordAll(
    hashes: ReadonlyMap<string, string>,
    now: Date,
  ): Promise<ReadonlyMap<string, PlatformApplicationTimes>>;
}
