/** Runs a write of an account's servers and makes all caches drop them. `serverId` undefined: any of the account's servers may change. */
export type ChangeServers = <R>(
  of: { readonly accountId: string; readonly serverId?: string },
  write: () => Promise<R>,
) => Promise<R>;
