import type { RequestContext } from './context.ts';

/**
 * `ctx` for work that must finish once it has begun, whoever waits for it: it ignores the caller's cancellation and has
 * `timeoutMs` of its own.
 */
export function detachedContext(ctx: RequestContext, timeoutMs: number): RequestContext {
  return { ...ctx, signal: AbortSignal.timeout(timeoutMs), deadline: new Date(Date.now() + timeoutMs) };
}
