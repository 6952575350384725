import { createHash } from 'node:crypto';
import type { Clock } from '@fairlead/service-kit/clock';

/** Requests that may be sent at once with one token: of several tabs, or after a while without any. */
const CAPACITY = 60;
/** Time after which one more is allowed. */
const REFILL_MS = 200;
const MAX_TOKENS = 20_000;

/** Limits requests per token and replica, for tokens that have proved to be valid. */
export interface TokenLimit {
  /** Counts a request; returns 0 if it is admitted, else milliseconds until the next one is; undefined: not a known token. */
  take(token: string): number | undefined;
  /** From now on the token is known. The one that was used longest ago is forgotten if there are too many. */
  add(token: string): void;
  remove(token: string): void;
}

/** A limit that knows no token yet; it keeps hashes of at most 20,000. */
export function createTokenLimit({ clock }: { readonly clock: Clock }): TokenLimit {
  /** When the bucket of each token will be empty again; the one used longest ago first. */
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
