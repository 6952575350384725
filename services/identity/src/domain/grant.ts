/** The parties of a grant: the client acts as the user in the account. */
export interface GrantOwner {
  readonly accountId: string;
  readonly userId: string;
  readonly clientId: string;
}
