/** Runs a write of an account's identity data in such a way that every gateway forgets what it remembers of it. */
export type ChangeIdentity = <R>(accountId: string, write: () => Promise<R>) => Promise<R>;
