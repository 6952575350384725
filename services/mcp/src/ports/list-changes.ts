/** Notifies of changes that may affect servers' lists. */
export interface ListChanges {
  /** Calls back soon after each change of the account, at most once per second. Returns a function that ends the subscription. */
  subscribe(accountId: string, onChange: () => void): () => void;
}
