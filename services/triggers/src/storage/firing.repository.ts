import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { TRIGGER_LIMITS } from '../domain/trigger.ts';
import type { FiringStore } from '../ports/trigger-store.ts';
import { triggerCollection } from './trigger.collection.ts';
import { firingTrigger } from './trigger.repository.ts';

const FIRED_EVERY_MS = 1_000;
/** Triggers whose last write this process remembers; the one that fired longest ago is forgotten. */
const MAX_REMEMBERED = 10_000;

/** What firings read and write of triggers in MongoDB. */
export function createFiringRepository(store: MongoStore): FiringStore {
  const triggers = store.collection(triggerCollection);
  const written = new Map<string, number>();

  /** Whether the last write for this trigger is a second old; then one is due. */
  function isWriteDue(id: string, nowMs: number): boolean {
    if (nowMs - (written.get(id) ?? 0) < FIRED_EVERY_MS) return false;
    written.delete(id);
    written.set(id, nowMs);
    const [oldest] = written.keys();
    if (written.size > MAX_REMEMBERED && oldest !== undefined) written.delete(oldest);
    return true;
  }

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
      const due = [...new Map(fired.map((each) => [each.id, each])).values()].filter(({ id }) =>
        isWriteDue(id, now.getTime()),
      );
      if (due.length === 0) return;
      await triggers.bulkWrite(
        due.map(({ accountId, id }) => ({
          updateOne: { filter: { accountId, _id: id }, update: { $max: { lastFiredAt: now } } },
        })),
        { ordered: false },
      );
    },

    async noteError({ accountId, id }, message) {
      const lastError = message.slice(0, TRIGGER_LIMITS.errorCharacters);
      await triggers.updateOne(
        { accountId, _id: id, lastError: { $ne: lastError } },
        { $set: { lastError } },
      );
    },
  };
}
