import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { isDuplicateKey } from '@fairlead/service-kit/mongo/write-errors';
import { SealingError } from '@fairlead/sealing/sealed-value';
import type { Sealer } from '@fairlead/sealing/sealing';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { UpdateFilter, WriteConcernSettings } from 'mongodb';
import { KNOWN_AFTER_END_MS, OPEN_STATES } from '../domain/task.ts';
import type { TaskWithInput, Task, TaskEnd, TaskState } from '../domain/task.ts';
import type { TaskStore } from '../ports/task-store.ts';
import { createHasRoom } from './open-task-counts.ts';
import { taskBinding } from './sealed-collections.ts';
import { taskCollection } from './task.collection.ts';
import type { TaskDocument } from './task.collection.ts';

const IN_HAND: readonly TaskState[] = ['taken', 'started'];
const WITHOUT_INPUT = { input: 0 } as const;
/**
 * For writes that need not survive a failover. If one is lost, a caller sees its call fail; in exchange no caller waits for a flush of the
 * journal. Only the start of effects must survive: it is written with majority concern and journaled, together with all writes before it.
 */
const FAST: { readonly writeConcern: WriteConcernSettings } = { writeConcern: { w: 1 } };
/** Reads that see FAST writes at once. */
const LATEST = { readConcern: { level: 'local' } } as const;

/** The tasks in MongoDB, with sealed inputs. */
export function createTaskRepository(store: MongoStore, sealer: Pick<Sealer, 'seal' | 'open'>): TaskStore {
  const tasks = store.collection(taskCollection);
  const hasRoom = createHasRoom(tasks);

  /** Undefined: the input cannot be opened, and the task was ended. */
  async function openTask(ctx: RequestContext, document: TaskDocument): Promise<TaskWithInput | undefined> {
    const { accountId, _id: id, input } = document;
    try {
      const secret = input && (await sealer.open(accountId, taskBinding(id), input));
      return { ...toTask(document), input: secret?.reveal() ?? '' };
    } catch (error) {
      if (!(error instanceof SealingError)) throw error;
      ctx.log.error({ err: error, accountId, taskId: id }, 'the input of a task cannot be read');
      const end = ended('unreadable', document.deadline);
      await tasks.updateOne({ _id: id, accountId, state: 'taken' }, end, operationOptions(ctx));
      return undefined;
    }
  }

  async function takeDocument(
    ...[ctx, accountId, agentKey, { instance, slot, now }]: Parameters<TaskStore['take']>
  ): Promise<TaskDocument | undefined> {
    const kind = slot === null ? { $ne: 'call' as const } : ('call' as const);
    try {
      const document = await tasks.findOneAndUpdate(
        { agentKey, accountId, state: 'queued', kind, deadline: { $gt: now } },
        { $set: { state: 'taken', instance, slot } },
        { ...operationOptions(ctx), ...FAST, sort: { _id: 1 }, returnDocument: 'after' },
      );
      return document ?? undefined;
    } catch (error) {
      // Another poll of the agent has occupied the slot.
      if (isDuplicateKey(error)) return undefined;
      throw error;
    }
  }

  return {
    async insert(ctx, accountId, { id, input, ...same }, by) {
      const options = operationOptions(ctx);
      if (!(await hasRoom(ctx, accountId, same.agentKey))) return 'full';
      const document: TaskDocument = {
        _id: id,
        accountId,
        ...same,
        state: by === undefined ? 'queued' : 'taken',
        instance: by?.instance ?? null,
        slot: by?.slot ?? null,
        end: null,
        wasStarted: false,
        isJoinable: same.kind === 'logs',
        expireAt: null,
        input: input === '' ? null : await sealer.seal(accountId, taskBinding(id), input),
      };
      try {
        await tasks.insertOne(document, { ...options, ...FAST });
        return 'queued';
      } catch (error) {
        if (isDuplicateKey(error)) return by === undefined ? 'joinable' : 'occupied';
        throw error;
      }
    },

    async findJoinable(ctx, accountId, agentKey) {
      const document = await tasks.findOne(
        { agentKey, accountId, isJoinable: true },
        { ...operationOptions(ctx), ...LATEST, projection: WITHOUT_INPUT },
      );
      return document === null ? undefined : toTask(document);
    },

    async receiveLogs(ctx, accountId, id, { instance, deadline }) {
      const { matchedCount } = await tasks.updateOne(
        { _id: id, accountId, instance, kind: 'logs', state: { $in: IN_HAND } },
        { $set: { state: 'started', isJoinable: false, deadline } },
        operationOptions(ctx),
      );
      return matchedCount === 1;
    },

    async listOpen(ctx, accountId, agentKey) {
      const found = tasks.find(
        { agentKey, accountId, state: { $in: OPEN_STATES } },
        { ...operationOptions(ctx), ...LATEST, projection: WITHOUT_INPUT, hint: 'work' },
      );
      return (await found.toArray()).map(toTask);
    },

    async take(ctx, accountId, agentKey, o) {
      for (;;) {
        const document = await takeDocument(ctx, accountId, agentKey, o);
        if (document === undefined) return undefined;
        const task = await openTask(ctx, document);
        if (task !== undefined) return task;
      }
    },

    async findUnstarted(ctx, accountId, id, instance) {
      const document = await tasks.findOne(
        { _id: id, accountId, instance, state: 'taken' },
        { ...operationOptions(ctx), ...LATEST },
      );
      return document === null ? undefined : await openTask(ctx, document);
    },

    async find(ctx, accountId, agentKey, id) {
      const document = await tasks.findOne(
        { _id: id, accountId, agentKey },
        { ...operationOptions(ctx), ...LATEST, projection: WITHOUT_INPUT },
      );
      return document === null ? undefined : toTask(document);
    },

    async start(ctx, accountId, id, { instance, now }) {
      const { matchedCount } = await tasks.updateOne(
        { _id: id, accountId, instance, state: { $in: IN_HAND }, deadline: { $gt: now } },
        { $set: { state: 'started', wasStarted: true } },
        operationOptions(ctx),
      );
      return matchedCount === 1;
    },

    async complete(ctx, accountId, id, { instance, now }) {
      const { matchedCount } = await tasks.updateOne(
        {
          _id: id,
          accountId,
          instance,
          $or: [{ state: 'started' }, { state: 'taken', hasEffects: false }],
        },
        ended(null, now),
        { ...operationOptions(ctx), ...FAST },
      );
      return matchedCount === 1;
    },

    async takeOver(ctx, accountId, id, waiter) {
      const { matchedCount } = await tasks.updateOne(
        { _id: id, accountId, state: { $in: OPEN_STATES } },
        { $set: { waiter } },
        { ...operationOptions(ctx), ...FAST },
      );
      return matchedCount === 1;
    },

    async cancel(ctx, accountId, id, now) {
      const document = await tasks.findOneAndUpdate(
        { _id: id, accountId, state: { $in: OPEN_STATES } },
        ended('cancelled', now),
        { ...operationOptions(ctx), projection: WITHOUT_INPUT, returnDocument: 'before' },
      );
      return document === null ? undefined : toTask(document);
    },

    async release(ctx, accountId, id, instance) {
      await tasks.updateOne(
        { _id: id, accountId, instance, state: 'taken' },
        { $set: queuedAgain },
        operationOptions(ctx),
      );
    },

    async takeFromOthers(ctx, accountId, agentKey, { instance, now }) {
      const theirs = { agentKey, accountId, instance: { $ne: instance } };
      const options = { ...operationOptions(ctx), hint: 'work' };
      await tasks.updateMany({ ...theirs, state: 'started' }, ended('replaced', now), options);
      await tasks.updateMany({ ...theirs, state: { $in: IN_HAND } }, { $set: queuedAgain }, options);
    },

    async endAll(ctx, accountId, agentKey, { end, now }) {
      await tasks.updateMany({ agentKey, accountId, state: { $in: OPEN_STATES } }, ended(end, now), {
        ...operationOptions(ctx),
        hint: 'work',
      });
    },

    async findEnded(ids) {
      const found = tasks.find(
        { _id: { $in: [...ids] }, state: 'ended', end: { $ne: null } },
        { projection: WITHOUT_INPUT },
      );
      return (await found.toArray()).map(toTask);
    },

    async endAbandoned(before, now) {
      const { modifiedCount } = await tasks.updateMany(
        { state: { $in: OPEN_STATES }, deadline: { $lt: before } },
        ended('abandoned', now),
        { hint: 'overdue' },
      );
      return modifiedCount;
    },

    async countOpen(now) {
      const groups = tasks.aggregate<{ _id: TaskState; count: number; oldest: Date }>(
        [
          { $match: { state: { $in: OPEN_STATES } } },
          { $group: { _id: '$state', count: { $sum: 1 }, oldest: { $min: '$createdAt' } } },
        ],
        { hint: 'overdue' },
      );
      return (await groups.toArray()).map(({ _id: state, count, oldest }) => ({
        state,
        count,
        oldestMs: now.getTime() - oldest.getTime(),
      }));
    },
  };
}

const queuedAgain = { state: 'queued', instance: null, slot: null, wasStarted: false } as const;

function ended(end: TaskEnd | null, now: Date): UpdateFilter<TaskDocument> {
  const expireAt = new Date(now.getTime() + KNOWN_AFTER_END_MS);
  return { $set: { state: 'ended', end, slot: null, isJoinable: false, input: null, expireAt } };
}

function toTask({
  _id: id,
  input: _input,
  isJoinable: _joinable,
  expireAt: _expiry,
  ...same
}: TaskDocument): Task {
  return { id, ...same };
}

/** The task in an export of its account. */
export function toExportedTask({
  _id: id,
  kind,
  hasEffects,
  state,
  createdAt,
  deadline,
  end,
}: TaskDocument): object {
  return { id, kind, hasEffects, state, createdAt, deadline, end };
}
