import { asApiError } from '../http/reply.ts';
import type { Timers } from '../timers.ts';

/**
 * Settles like `loading`. If its source is away (it fails with UNAVAILABLE or TIMEOUT, or takes longer than
 * `patienceMs`), calls `onAway` and settles like `standIn` instead, unless `standIn` returns undefined. The caller
 * may ignore the result; its rejection is handled.
 */
export function orStandIn<V>(o: {
  readonly loading: Promise<V>;
  readonly standIn: () => Promise<V> | undefined;
  readonly onAway: () => void;
  readonly patienceMs: number;
  readonly timers: Timers;
}): Promise<V> {
  const { promise, resolve, reject } = Promise.withResolvers<V>();
  const resolveAway = (): boolean => {
    o.onAway();
    const value = o.standIn();
    if (value !== undefined) resolve(value);
    return value !== undefined;
  };
  const patience = o.timers.after(o.patienceMs, resolveAway);
  const settle = async (): Promise<void> => {
    try {
      resolve(await o.loading);
    } catch (error) {
      if (!isAway(error) || !resolveAway()) reject(error);
    } finally {
      patience.cancel();
    }
  };
  void settle();
  promise.catch(() => undefined);
  return promise;
}

function isAway(error: unknown): boolean {
  const { code } = asApiError(error);
  return code === 'UNAVAILABLE' || code === 'TIMEOUT';
}
