/** Returns those of the given accounts that exist and are not being erased: only these get entries. */
export type FindOpenAccounts = (accountIds: readonly string[]) => Promise<ReadonlySet<string>>;
