/** Runs a write of an account's identity data, and makes every replica of the gateway drop its cached copy. */
export type ChangeIdentity = <R>(accountId: string, write: () => Promise<R>) => Promise<R>;
