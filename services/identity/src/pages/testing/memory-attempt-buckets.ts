import type { Clock } from '@fairlead/service-kit/clock';
import type { AttemptBuckets } from '../../ports/attempt-buckets.ts';

/** Buckets in memory; they pass the same suite as the stored ones. */
export function memoryAttemptBuckets({ clock }: { readonly clock: Clock }): AttemptBuckets {
  const emptyAt = new Map<string, number>();
  const idOf = (kind: string, source: string): string => `${kind} ${source}`;
  return {
    take({ kind, source, capacity, refillMs }) {
      const now = clock.now().getTime();
      const start = Math.max(emptyAt.get(idOf(kind, source)) ?? 0, now);
      const waitMs = start - now - (capacity - 1) * refillMs;
      if (waitMs <= 0) emptyAt.set(idOf(kind, source), start + refillMs);
      return Promise.resolve(Math.max(0, waitMs));
    },
    giveBack({ kind, source, refillMs }) {
      const at = emptyAt.get(idOf(kind, source));
      if (at !== undefined) emptyAt.set(idOf(kind, source), at - refillMs);
      return Promise.resolve();
    },
    forget({ kind, source }) {
      emptyAt.delete(idOf(kind, source));
      return Promise.resolve();
    },
  };
}
