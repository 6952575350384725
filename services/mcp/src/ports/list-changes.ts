/** Changes after which servers may have other lists. */
export interface ListChanges {
  /** Calls back soon after each change of the account, at most once a second. Returns a function that ends the subscription. */
  subscribe(accountId: string, onChange: () => void): () => void;
}
