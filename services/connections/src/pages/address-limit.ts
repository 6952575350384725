import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '@fairlead/service-kit/clock';
import { placeOf } from '@fairlead/pages/place';

/** Burst of requests per address: offices share one address. */
const CAPACITY = 600;
/** Refill interval. */
const REFILL_MS = 100;
const SLOTS = 65_536;

/** Counts a request of a network address. Returns 0 if it is admitted, otherwise the milliseconds until the next one is. */
export type AddressLimit = (address: string) => number;

/**
 * Limits anonymous requests per network address and replica, in constant memory: addresses are hashed to slots, and the few in the same
 * slot share its limit.
 */
export function createAddressLimit({ clock }: { readonly clock: Clock }): AddressLimit {
  /** When each slot's bucket will be empty. */
  const emptyAt = new Float64Array(SLOTS);
  // Random, so that nobody can compute an address in somebody else's slot.
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
