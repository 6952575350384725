/** Resolves once no caller can join a read that began before this call (service-kit cache/shared-reads). */
export type AwaitSharedReads = () => Promise<void>;
