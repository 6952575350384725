import type { Timers } from '@fairlead/service-kit/timers';

/** Resolves with `event`, or after `ms`; rejects when `signal` aborts. Removes its timer and listener. */
export async function waitFor(
  event: Promise<void>,
  { ms, signal, timers }: { readonly ms: number; readonly signal: AbortSignal; readonly timers: Timers },
): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = timers.after(ms, resolve);
  try {
    await Promise.race([event, promise]);
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', onAbort);
  }
}
