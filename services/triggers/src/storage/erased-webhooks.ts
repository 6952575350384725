import { setTimeout as delay } from 'node:timers/promises';
import { eraseDocuments } from '@fairlead/service-kit/account-data';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { ERASURE_WAITS_MS } from '../domain/vendor-webhook.ts';
import { webhookCollection } from './webhook.collection.ts';
import { sooner } from './webhook.repository.ts';

/** What becomes of the registrations of an account that is erased. */
export interface ErasedWebhooks {
  /**
   * Has the account's registrations removed at their vendors, and then here; those that are not after some seconds are removed
   * here alone. Its triggers are gone already. Takes about three seconds; true: none is left.
   */
  end(ctx: RequestContext, accountId: string): Promise<boolean>;
}

const LIMIT_MS = 3_000;
const POLL_MS = 50;

/** Registrations in MongoDB, which the replicas' keepers look at. `onDue` is called when some have become due. */
export function createErasedWebhooks(o: {
  readonly store: Pick<MongoStore, 'collection'>;
  readonly clock: Clock;
  readonly onDue: () => void;
}): ErasedWebhooks {
  const webhooks = o.store.collection(webhookCollection);

  async function isAnyWaitedFor(ctx: RequestContext, accountId: string): Promise<boolean> {
    const options = { ...operationOptions(ctx), projection: { _id: 1 } };
    return (await webhooks.findOne({ accountId, givenUpAt: { $gt: o.clock.now() } }, options)) !== null;
  }

  return {
    async end(ctx, accountId) {
      const now = o.clock.now();
      const givenUpAt = new Date(now.getTime() + ERASURE_WAITS_MS);
      const { matchedCount } = await webhooks.updateMany(
        { accountId, givenUpAt: null },
        [{ $set: { ...sooner(now, now), givenUpAt } }],
        operationOptions(ctx),
      );
      if (matchedCount > 0) o.onDue();
      const until = performance.now() + LIMIT_MS;
      while (await isAnyWaitedFor(ctx, accountId)) {
        if (performance.now() > until) return false;
        await delay(POLL_MS, undefined, { signal: ctx.signal });
      }
      return eraseDocuments(webhooks, ctx, { accountId });
    },
  };
}
