import { findHooks } from './find-hooks.ts';
import type { FindHooksDeps } from './find-hooks.ts';

/** Facts about an address, before it is called. */
export interface ResolvedHook {
  readonly triggerId: string;
  readonly accountId: string;
  /** False: the trigger currently accepts no calls there. */
  readonly isDisabled: boolean;
  /** Whether its calls wait for more than the database. */
  readonly takesTime: boolean;
}

/** The address (a trigger's own, or one that its vendor calls) whose token has this digest; undefined: there is none. */
export async function resolveHook(deps: FindHooksDeps, tokenHash: string): Promise<ResolvedHook | undefined> {
  const hook = (await findHooks(deps, [tokenHash])).get(tokenHash);
  if (hook === undefined) return undefined;
  const { triggerId, accountId, trigger, takesTime } = hook;
  return { triggerId, accountId, isDisabled: trigger === undefined, takesTime };
}
