/** The name of a user of an account; undefined: the user does not exist. */
export type FindUserName = (accountId: string, userId: string) => Promise<string | undefined>;
