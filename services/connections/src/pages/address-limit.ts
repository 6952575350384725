import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '@fairlead/service-kit/clock';
import { placeOf } from '@fairlead/pages/place';

/** Requests that an address may send at once: offices share one address. */
const CAPACITY = 600;
/** Time after which one more is allowed. */
const REFILL_MS = 100;
const SLOTS = 65_536;

/** Counts a request from a network address; returns 0 if it is admitted, otherwise milliseconds until the next one is. */
export type AddressLimit = (address: string) => number;

/**
 * Limits anonymous requests per network address and replica. It takes the same memory however many addresses there are:
 * addresses are hashed to slots, and the few that share one also share its limit.
 */
export function createAddressLimit({ clock }: { readonly clock: Clock }): AddressLimit {
  /** When the bucket of each slot will be empty again. */
  const emptyAt = new Float64Array(SLOTS);
  // Unknown to callers, so that nobody can aim at another's slot.
  const salt = randomBytes(16);
  return (address) => {
    const now = clock.now().getTime();
    const slot = createHash('sha256').update(salt).update(placeOf(address)).digest().readUInt16BE(0);
    const start = Math.max(emptyAt[slot] ?? 0, now);
    const waitMs = start + REFILL_MS - (now + CAPACITY * REFILL_MS);
    if (waitMs > 0) return waitMs;
    emptyAt[slot] = start + REFILL_MS;
    return 0;
  };
}
