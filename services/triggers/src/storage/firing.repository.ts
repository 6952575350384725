import { rememberRecent } from '@fairlead/service-kit/cache/recent-entries';
import type { Clock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { TRIGGER_LIMITS } from '../domain/trigger.ts';
import type { FiringStore, FiringTrigger } from '../ports/trigger-store.ts';
import { triggerCollection } from './trigger.collection.ts';
import { firingTrigger } from './trigger.repository.ts';

const WRITE_EVERY_MS = 1_000;
/** Number of triggers whose last write is cached; the oldest is evicted. */
const MAX_REMEMBERED = 10_000;

/** Reads of triggers for firings, and the resulting writes, in MongoDB. */
export function createFiringRepository(store: MongoStore, clock: Clock): FiringStore {
  const triggers = store.collection(triggerCollection);
  const firedAt = new Map<string, number>();
  const failedAt = new Map<string, number>();

  return {
    async findByHooks(tokenHashes) {
      const filter = { 'hook.tokenHash': { $in: [...tokenHashes], $gt: '' } };
      const found = await triggers.find(filter).toArray();
      return new Map(
        found.flatMap((document) =>
          document.hook === undefined ? [] : [[document.hook.tokenHash, firingTrigger(document)]],
        ),
      );
    },

    async findMany(of) {
      if (of.length === 0) return new Map();
      const named = of.map(({ accountId, triggerId }) => ({ accountId, _id: triggerId }));
      const found = await triggers.find({ $or: named }).toArray();
      return new Map(found.map((document) => [document._id, firingTrigger(document)]));
    },

    async findOfType(accountId, triggerTypeSlug, after, limit) {
      const found = await triggers
        .find({ accountId, triggerTypeSlug, isEnabled: true, ...(after !== null && { _id: { $gt: after } }) })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      return found.map(firingTrigger);
    },

    async noteFired(fired, now) {
      const due = [...new Map(fired.map((each) => [each.id, each])).values()].filter(
        ({ id, lastError }) => isWriteDue(firedAt, id, now.getTime()) || lastError !== null,
      );
      if (due.length === 0) return;
      for (const each of due) failedAt.delete(failureName(each));
      await triggers.bulkWrite(
        due.map(({ accountId, id }) => ({
          updateOne: {
            filter: { accountId, _id: id },
            update: { $max: { lastFiredAt: now }, $set: { lastError: null } },
          },
        })),
        { ordered: false },
      );
    },

    async noteError(trigger, message) {
      const name = failureName(trigger);
      if (message === null) failedAt.delete(name);
      else if (!isWriteDue(failedAt, name, clock.now().getTime())) return;
      const { accountId, id } = trigger;
      const lastError = message?.slice(0, TRIGGER_LIMITS.errorCharacters) ?? null;
      await triggers.updateOne(
        { accountId, _id: id, lastError: { $ne: lastError } },
        { $set: { lastError } },
      );
    },
  };
}

/** Keyed by generation: an error of a changed trigger is new. */
function failureName({ id, generation }: Pick<FiringTrigger, 'id' | 'generation'>): string {
  return `${id} ${generation}`;
}

/** Whether the last write with this key was at least a second ago. */
function isWriteDue(writtenAt: Map<string, number>, name: string, nowMs: number): boolean {
  if (nowMs - (writtenAt.get(name) ?? 0) < WRITE_EVERY_MS) return false;
  rememberRecent(writtenAt, name, nowMs, MAX_REMEMBERED);
  return true;
}
