/** Waits until no replica uses what it read of a destination before now. */
export type AwaitCachedReads = () => Promise<void>;
