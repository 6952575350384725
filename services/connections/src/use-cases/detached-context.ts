import type { Caller, RequestContext } from '@fairlead/service-kit/context/context';

/**
 * `ctx` for work that must end once it began, whoever waits for it: it ignores the caller's hanging up, and has
 * `timeoutMs` of its own.
 */
export function detachedContext(ctx: RequestContext, timeoutMs: number): RequestContext {
  return { ...ctx, signal: AbortSignal.timeout(timeoutMs), deadline: new Date(Date.now() + timeoutMs) };
}

/** `ctx` on behalf of the person who started something that now goes on without them, such as a sign-in's callback. */
export function onBehalfOf(
  ctx: RequestContext,
  person: { readonly accountId: string; readonly userId: string },
): RequestContext {
  const caller: Caller = {
    kind: 'user',
    accountId: person.accountId,
    userId: person.userId,
    roles: [],
    permissions: [],
  };
  return { ...ctx, caller };
}
