import { eraseDocuments } from '@fairlead/service-kit/account-data';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { createExactLimit } from '@fairlead/limiter/exact-limit';
import { mongoWindowStore, rateWindowCollection } from '@fairlead/limiter/mongo-window-store';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { systemTimers } from '@fairlead/service-kit/timers';
import type { HourlyCalls } from '../ports/hourly-calls.ts';

const HOUR_MS = 3_600_000;

/** Calls of toolsets, counted in one document per toolset and hour. */
export function createHourlyCalls(o: {
  readonly store: MongoStore;
  readonly clock: Clock;
  readonly log: Logger;
}): HourlyCalls {
  const limit = createExactLimit({
    name: 'toolset_hourly',
    windowMs: HOUR_MS,
    store: mongoWindowStore(o.store),
    clock: o.clock,
    timers: systemTimers,
    log: o.log,
  });
  return { take: (accountId, toolsetId, max) => limit(`${accountId}:${toolsetId}`, max) };
}

/** Removes the counts of an account; true: none is left. */
export async function eraseHourlyCalls(
  store: MongoStore,
  ctx: RequestContext,
  accountId: string,
): Promise<boolean> {
  // ";" is the character after ":", so this is the upper bound of the prefix.
  const ofAccount = { _id: { $gte: `${accountId}:`, $lt: `${accountId};` } };
  return await eraseDocuments(store.collection(rateWindowCollection), ctx, ofAccount);
}
