/** Runs a write of an account's identity data so that every replica of the gateway drops its cached copy. */
export type ChangeIdentity = <R>(accountId: string, write: () => Promise<R>) => Promise<R>;
