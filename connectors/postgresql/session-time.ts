import type { HandlerCall } from '@fairlead/connector-runtime/handler';

/** A kept session whose server does not begin a transaction within this time, or a quarter of the call's, is replaced. */
export const REUSE_LIMIT_MS = 2_000;

/** The time that a statement of the call may still take: statements end shortly before the call does, so that the server reports it. */
export function statementTime({ timeoutMs }: Pick<HandlerCall, 'timeoutMs'>): () => number {
  const endsAt = performance.now() + timeoutMs - Math.min(1000, timeoutMs / 10);
  return () => Math.max(1, Math.floor(endsAt - performance.now()));
}
