import { setTimeout as delay } from 'node:timers/promises';
import { eraseDocuments } from '@fairlead/service-kit/account-data';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { Filter } from 'mongodb';
import { VENDOR_WAITS_MS } from '../domain/vendor-webhook.ts';
import type { Registrations } from '../ports/registrations.ts';
import { webhookCollection } from './webhook.collection.ts';
import type { WebhookDocument } from './webhook.collection.ts';
import { sooner } from './webhook.repository.ts';

/** The registrations of an account that is being erased. */
export interface ErasedWebhooks {
  /**
   * Removes the account's registrations at their vendors, then here. After some seconds, remaining ones are removed only here. The triggers
   * must already be gone. Takes about three seconds; true: none is left.
   */
  end(ctx: RequestContext, accountId: string): Promise<boolean>;
}

const LIMIT_MS = 3_000;
const POLL_MS = 50;

/** Marks registrations to be removed, and waits; a webhook keeper of any replica removes them. `onDue` is called when some are marked. */
export function createEndedWebhooks(o: {
  readonly store: Pick<MongoStore, 'collection'>;
  readonly clock: Clock;
  readonly onDue: () => void;
}): ErasedWebhooks & Registrations {
  const webhooks = o.store.collection(webhookCollection);
  type Of = Filter<WebhookDocument> & { readonly accountId: string };

  async function giveUp(ctx: RequestContext, of: Of): Promise<void> {
    const now = o.clock.now();
    const givenUpAt = new Date(now.getTime() + VENDOR_WAITS_MS);
    const { matchedCount } = await webhooks.updateMany(
      { ...of, givenUpAt: null },
      [{ $set: { ...sooner(now, now), givenUpAt } }],
      operationOptions(ctx),
    );
    if (matchedCount > 0) o.onDue();
  }

  /** Waits until all registrations are removed or given up, at most until `until`; false: some are left. */
  async function waitFor(ctx: RequestContext, of: Of, until = Infinity): Promise<boolean> {
    for (;;) {
      const options = { ...operationOptions(ctx), projection: { _id: 1 } };
      const isAny = await webhooks.findOne({ ...of, givenUpAt: { $gt: o.clock.now() } }, options);
      if (isAny === null) return true;
      if (performance.now() > until) return false;
      await delay(POLL_MS, undefined, { signal: ctx.signal });
    }
  }

  return {
    async end(ctx, accountId) {
      await giveUp(ctx, { accountId });
      const isOver = await waitFor(ctx, { accountId }, performance.now() + LIMIT_MS);
      return isOver && (await eraseDocuments(webhooks, ctx, { accountId }));
    },

    async endOf(ctx, accountId, connectionIds) {
      const of = { accountId, connectionId: { $in: [...connectionIds] } };
      await giveUp(ctx, of);
      await waitFor(ctx, of);
    },
  };
}
