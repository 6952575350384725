import type { RequestContext } from './context.ts';

/** `ctx` for work that must be completed once it has begun: it ignores the caller's cancellation and has its own `timeoutMs`. */
export function detachedContext(ctx: RequestContext, timeoutMs: number): RequestContext {
  return { ...ctx, signal: AbortSignal.timeout(timeoutMs), deadline: new Date(Date.now() + timeoutMs) };
}
