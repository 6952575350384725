import type { HandlerCall } from '@fairlead/connector-runtime/handler';

/**
 * Time for the server of a kept session to begin a transaction; at most a quarter of the call's time. After that, the session is replaced.
 */
export const REUSE_LIMIT_MS = 2_000;

/** Remaining time for a statement of the call. Statements end shortly before the call, so that the server can report the timeout. */
export function statementTime({ timeoutMs }: Pick<HandlerCall, 'timeoutMs'>): () => number {
  const endsAt = performance.now() + timeoutMs - Math.min(1000, timeoutMs / 10);
  return () => Math.max(1, Math.floor(endsAt - performance.now()));
}
