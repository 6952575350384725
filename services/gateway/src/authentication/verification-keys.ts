import type { KeyObject } from 'node:crypto';
import type { Clock } from '@fairlead/service-kit/clock';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { ListVerificationKeys } from './ports/credential-lookup.ts';

/** Age from which a used key causes a refresh of the list in the background. */
const REFRESH_MS = 30_000;
/** Shortest time between two requests for the list, because anybody can send tokens with invented key ids. */
const PAUSE_MS = 2_000;

/**
 * Finds the public keys that verify tokens. A known key needs no call, even while identity does not answer. For an unknown key the list is
 * requested again, at most every two seconds; if that fails, the lookup rejects.
 */
export function createFindVerificationKey(o: {
  readonly list: ListVerificationKeys;
  readonly clock: Clock;
  readonly log: Logger;
}): (kid: string) => Promise<KeyObject | undefined> {
  let keys: ReadonlyMap<string, KeyObject> = new Map();
  let requestedAt = Number.NEGATIVE_INFINITY;
  let loadedAt = Number.NEGATIVE_INFINITY;
  let failure: { readonly error: unknown } | undefined;
  let loading: Promise<void> | undefined;

  async function load(now: number): Promise<void> {
    try {
      keys = await o.list();
      loadedAt = now;
      failure = undefined;
    } catch (error) {
      if (failure === undefined) o.log.warn({ err: error }, 'cannot refresh the keys that verify tokens');
      failure = { error };
    }
    loading = undefined;
  }

  function requestIfDue(now: number): void {
    if (loading !== undefined || now - requestedAt < PAUSE_MS) return;
    requestedAt = now;
    loading = load(now);
  }

  return async (kid) => {
    const now = o.clock.now().getTime();
    const known = keys.get(kid);
    if (known !== undefined) {
      if (now - loadedAt >= REFRESH_MS) requestIfDue(now);
      return known;
    }
    requestIfDue(now);
    await loading;
    const found = keys.get(kid);
    if (found === undefined && failure !== undefined) throw failure.error;
    return found;
  };
}
