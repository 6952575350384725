/**
 * Runs a write of an account's servers so that everybody who has cached them drops them. `serverId` undefined: the write may change any
 * server of the account.
 */
export type ChangeServers = <R>(
  of: { readonly accountId: string; readonly serverId?: string },
  write: () => Promise<R>,
) => Promise<R>;
