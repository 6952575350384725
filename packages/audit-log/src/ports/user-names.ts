/** The names of the users of an account that exist, by id. */
export type FindUserNames = (
  accountId: string,
  userIds: readonly string[],
) => Promise<ReadonlyMap<string, string>>;
