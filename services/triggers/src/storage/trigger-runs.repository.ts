import type { Clock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { TRIGGER_LIMITS } from '../domain/trigger.ts';
import type { EventStream } from '../ports/event-stream.ts';
import type { TriggerRuns } from '../ports/trigger-store.ts';
import type { OutboxRepository } from './outbox.repository.ts';
import { triggerCollection } from './trigger.collection.ts';

/** Gaps that a trigger keeps: the last ones (completion.md "Triggers"). */
const KEPT_GAPS = 10;

/**
 * Runs in MongoDB: the outbox and the trigger are written in one transaction. What is captured is offered to the stream. `onDue`
 * is called when a trigger is due again at once.
 */
export function createTriggerRuns(o: {
  readonly store: MongoStore;
  readonly outbox: Pick<OutboxRepository, 'insertIn'>;
  readonly stream: Pick<EventStream, 'offer'>;
  readonly clock: Clock;
  readonly onDue?: () => void;
}): TriggerRuns {
  const triggers = o.store.collection(triggerCollection);
  return {
    async commit({ trigger, token }, { events, dueAt, lastError, poll, gaps = [] }) {
      const now = o.clock.now();
      const { accountId, id, generation } = trigger;
      const results = await o.store.withTransaction(async (session) => {
        const due = dueAt === null ? null : { lane: accountId, at: dueAt, claim: null };
        const { matchedCount } = await triggers.updateOne(
          { accountId, _id: id, generation, isEnabled: true, 'due.claim.token': token },
          {
            $set: {
              due,
              ...(events.length > 0 && { lastFiredAt: now }),
              ...(poll !== undefined && { poll }),
              ...(lastError !== undefined && {
                lastError: lastError?.slice(0, TRIGGER_LIMITS.errorCharacters) ?? null,
              }),
            },
            ...(gaps.length > 0 && { $push: { gaps: { $each: [...gaps], $slice: -KEPT_GAPS } } }),
          },
          { session },
        );
        return matchedCount === 1 ? o.outbox.insertIn(session, events) : undefined;
      });
      if (results === undefined) return false;
      o.stream.offer(events.filter((_, at) => results[at]?.isNew === true));
      if (dueAt !== null && dueAt <= now) o.onDue?.();
      return true;
    },
  };
}
