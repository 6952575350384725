/** Finds the given accounts that exist and are not being erased: entries are written only about these. */
export type FindOpenAccounts = (accountIds: readonly string[]) => Promise<ReadonlySet<string>>;
