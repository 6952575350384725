import { createHash } from 'node:crypto';
import type { Clock } from '@fairlead/service-kit/clock';

/** Burst of requests per token: several tabs, or a while without requests. */
const CAPACITY = 60;
/** Refill interval. */
const REFILL_MS = 200;
const MAX_TOKENS = 20_000;

/** Limits requests per token and replica, for tokens that are known to be valid. */
export interface TokenLimit {
  /** Counts a request; returns 0 if it is admitted, otherwise the milliseconds until the next one is; undefined: unknown token. */
  take(token: string): number | undefined;
  /** Adds a valid token. If there are too many, the least recently used one is forgotten. */
  add(token: string): void;
  remove(token: string): void;
}

/** Creates a limit without tokens; it stores hashes of at most 20,000. */
export function createTokenLimit({ clock }: { readonly clock: Clock }): TokenLimit {
  /** When each token's bucket will be empty; least recently used first. */
  const emptyAt = new Map<string, number>();
  const keyOf = (token: string): string => createHash('sha256').update(token).digest('base64');
  return {
    take(token) {
      const key = keyOf(token);
      const before = emptyAt.get(key);
      if (before === undefined) return undefined;
      const now = clock.now().getTime();
      const next = Math.max(before, now) + REFILL_MS;
      const waitMs = next - (now + CAPACITY * REFILL_MS);
      emptyAt.delete(key);
      emptyAt.set(key, waitMs > 0 ? before : next);
      return Math.max(waitMs, 0);
    },
    add(token) {
      const key = keyOf(token);
      if (emptyAt.has(key)) return;
      const [oldest] = emptyAt.keys();
      if (oldest !== undefined && emptyAt.size >= MAX_TOKENS) emptyAt.delete(oldest);
      emptyAt.set(key, 0);
    },
    remove: (token) => void emptyAt.delete(keyOf(token)),
  };
}
