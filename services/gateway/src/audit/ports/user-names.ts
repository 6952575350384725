/** The name of a user of an account; undefined: there is none. */
export type FindUserName = (accountId: string, userId: string) => Promise<string | undefined>;
