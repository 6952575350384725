import type { Clock } from '@fairlead/service-kit/clock';
import { createRequestContext } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { uuidv7 } from '@fairlead/service-kit/ids';
import type { BackgroundWork } from '@fairlead/service-kit/lifecycle/background';
import { repeatInBackground } from '@fairlead/service-kit/lifecycle/background';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { ExpiredListings } from '../ports/expired-listings.ts';
import { keeperContext } from './grant-keeper.ts';

const platform = (signal: AbortSignal, log: Logger): RequestContext =>
  createRequestContext({
    requestId: uuidv7(),
    caller: { kind: 'service', service: 'connections' },
    signal,
    log,
  });

const PAUSE_MS = 10_000;

/**
 * In the background, lists connections as Blocked soon after their licences expire. A list that filters by status handles a few unlisted
 * ones itself, but reads everything while there are many.
 */
export function startListingKeeper({
  listings,
  clock,
  log,
}: {
  readonly listings: ExpiredListings;
  readonly clock: Clock;
  readonly log: Logger;
}): BackgroundWork {
  return repeatInBackground({
    name: 'expired licences',
    everyMs: PAUSE_MS,
    log,
    async work(signal) {
      for (;;) {
        const now = clock.now();
        // The longest expired first, of any account.
        const accountId = await listings.findAccount(platform(signal, log), now);
        if (accountId === undefined || signal.aborted) return;
        await listings.block(keeperContext(accountId, signal, log), accountId, now);
      }
    },
  });
}
