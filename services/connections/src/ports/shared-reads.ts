/** Resolves when no other service joins a read any more that began before the call (service-kit cache/shared-reads). */
export type AwaitSharedReads = () => Promise<void>;
