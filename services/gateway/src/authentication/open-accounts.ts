/** Finds the given accounts that exist and are not being erased: data is written only about these. */
export type FindOpenAccounts = (accountIds: readonly string[]) => Promise<ReadonlySet<string>>;
