import { findHooks } from './find-hooks.ts';
import type { FindHooksDeps } from './find-hooks.ts';

/** An address as it is known before it is called. */
export interface ResolvedHook {
  readonly triggerId: string;
  readonly accountId: string;
  /** The trigger takes no calls to it now. */
  readonly isDisabled: boolean;
  /** Its calls wait for more than the database. */
  readonly takesTime: boolean;
}

/** The address, a trigger's own or one that its vendor calls, that has the token with this digest; undefined: there is none. */
export async function resolveHook(deps: FindHooksDeps, tokenHash: string): Promise<ResolvedHook | undefined> {
  const hook = (await findHooks(deps, [tokenHash])).get(tokenHash);
  if (hook === undefined) return undefined;
  const { triggerId, accountId, trigger, takesTime } = hook;
  return { triggerId, accountId, isDisabled: trigger === undefined, takesTime };
}
