/** The names of an account's users, by id; users that no longer exist are left out. */
export type FindUserNames = (
  accountId: string,
  userIds: readonly string[],
) => Promise<ReadonlyMap<string, string>>;
