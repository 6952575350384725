/** Waits until no replica uses an earlier read of a destination any more. */
export type AwaitCachedReads = () => Promise<void>;
