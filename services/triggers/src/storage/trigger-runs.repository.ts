import { ApiError } from '@fairlead/errors/api-error';
import { createBatcher } from '@fairlead/service-kit/batch/batcher';
import type { BatchLimits, ItemResult } from '@fairlead/service-kit/batch/batcher';
import type { Clock } from '@fairlead/service-kit/clock';
import { databaseFailure } from '@fairlead/service-kit/mongo/database-errors';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { ClientSession } from 'mongodb';
import { TRIGGER_LIMITS } from '../domain/trigger.ts';
import type { EventStream } from '../ports/event-stream.ts';
import type { ClaimedTrigger, RunResult, TriggerRuns } from '../ports/trigger-store.ts';
import type { OutboxRepository } from './outbox.repository.ts';
import { dueOf, triggerCollection } from './trigger.collection.ts';

/** Number of most recent gaps that a trigger keeps (row completion.triggers.4). */
const KEPT_GAPS = 10;

/** No limit of its own: the runs in progress limit waiting results. */
const LIMITS: BatchLimits = {
  itemsPerBatch: 100,
  bytesPerBatch: 4 * 1024 * 1024,
  waitingItems: 1_000,
  waitingBytes: 64 * 1024 * 1024,
  batches: 4,
  slowMs: 100,
};

/** The result of a run, to be committed. */
interface Ending {
  readonly run: ClaimedTrigger;
  readonly result: RunResult;
}

/**
 * Runs in MongoDB. Outbox and triggers are written in one transaction, shared by runs that end at the same time. Captured events are
 * offered to the stream. `onDue` is called when a trigger is due again at once.
 */
export function createTriggerRuns(o: {
  readonly store: MongoStore;
  readonly outbox: Pick<OutboxRepository, 'insertIn'>;
  readonly stream: Pick<EventStream, 'offer'>;
  readonly clock: Clock;
  readonly onDue?: () => void;
}): TriggerRuns {
  const triggers = o.store.collection(triggerCollection);

  /** The runs whose claims are still valid. A change after this read makes the transaction retry. */
  async function findClaimed(session: ClientSession, endings: readonly Ending[]): Promise<readonly Ending[]> {
    const ids = endings.map(({ run }) => run.trigger.id);
    const accountIds = [...new Set(endings.map(({ run }) => run.trigger.accountId))];
    const found = await triggers
      .find(
        { accountId: { $in: accountIds }, _id: { $in: ids }, isEnabled: true },
        { session, hint: '_id_', projection: { accountId: 1, generation: 1, 'due.claim.token': 1 } },
      )
      .toArray();
    const documents = new Map(found.map((document) => [document._id, document]));
    return endings.filter(({ run: { trigger, token } }) => {
      const document = documents.get(trigger.id);
      return (
        document?.accountId === trigger.accountId &&
        document.generation === trigger.generation &&
        document.due?.claim?.token === token
      );
    });
  }

  /** Commits runs together; returns for each whether it was committed. */
  async function commitAll(endings: readonly Ending[]): Promise<readonly ItemResult<boolean>[]> {
    const now = o.clock.now();
    const { claimedRuns, added } = await o.store.withTransaction(async (session) => {
      const claimedRuns = await findClaimed(session, endings);
      if (claimedRuns.length === 0) return { claimedRuns, added: [] };
      await triggers.bulkWrite(
        claimedRuns.map((ending) => ({ updateOne: updateOf(ending, now) })),
        { session, ordered: false },
      );
      const events = claimedRuns.flatMap(({ result }) => result.events);
      const results = await o.outbox.insertIn(session, events);
      return { claimedRuns, added: events.filter((_, at) => results[at]?.isNew === true) };
    });
    o.stream.offer(added);
    if (claimedRuns.some(({ result: { dueAt } }) => dueAt !== null && dueAt <= now)) o.onDue?.();
    const committed = new Set(claimedRuns);
    return endings.map((ending) => ({ status: 'done', value: committed.has(ending) }));
  }

  const commits = createBatcher<Ending, boolean>({
    limits: LIMITS,
    async process(endings) {
      try {
        return await commitAll(endings);
      } catch (error) {
        if (databaseFailure(error) !== undefined)
          throw new ApiError('UNAVAILABLE', 'The database is not available.', { cause: error });
        if (endings.length === 1) throw error;
        // A single run may be the cause, so commit them individually.
        const alone = await Promise.allSettled(endings.map((ending) => commitAll([ending])));
        return alone.flatMap((each) =>
          each.status === 'fulfilled' ? each.value : [{ status: 'failed', error: each.reason }],
        );
      }
    },
  });

  return {
    commit(run, result) {
      const bytes = result.events.reduce((sum, { body }) => sum + body.length, 0);
      return commits.add({ run, result }, { bytes, isUrgent: true });
    },
  };
}

function updateOf({ run, result }: Ending, now: Date) {
  const { accountId, id } = run.trigger;
  const { events, dueAt, lastError, poll, gaps = [] } = result;
  return {
    filter: { accountId, _id: id },
    update: {
      $set: {
        due: dueOf(accountId, dueAt, run.poll !== null),
        ...(events.length > 0 && { lastFiredAt: now }),
        ...(poll !== undefined && { poll }),
        ...(lastError !== undefined && {
          lastError: lastError?.slice(0, TRIGGER_LIMITS.errorCharacters) ?? null,
        }),
      },
      ...(gaps.length > 0 && { $push: { gaps: { $each: [...gaps], $slice: -KEPT_GAPS } } }),
    },
  };
}
