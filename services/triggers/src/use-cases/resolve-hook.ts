import type { FiringStore } from '../ports/trigger-store.ts';

/** What resolveHook needs. */
export interface ResolveHookDeps {
  readonly firings: Pick<FiringStore, 'findByHooks'>;
}

/** The trigger whose address has the token with this digest, enabled or not; undefined: there is none. */
export async function resolveHook(
  { firings }: ResolveHookDeps,
  tokenHash: string,
): Promise<{ readonly triggerId: string; readonly accountId: string } | undefined> {
  const trigger = (await firings.findByHooks([tokenHash])).get(tokenHash);
  return trigger && { triggerId: trigger.id, accountId: trigger.accountId };
}
