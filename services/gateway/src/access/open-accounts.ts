/** Finds those of the given accounts that exist and are not being erased: only about these anything is written down. */
export type FindOpenAccounts = (accountIds: readonly string[]) => Promise<ReadonlySet<string>>;
