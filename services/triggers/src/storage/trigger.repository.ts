import { createHash } from 'node:crypto';
import type { RecordedAction } from '@fairlead/service-kit/changes/audit-events';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { listNewestFirst } from '@fairlead/service-kit/mongo/list-part';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { insertWithin } from '@fairlead/service-kit/mongo/creation-locks';
import type { Sealer } from '@fairlead/sealing/sealing';
import type { Claim } from '@fairlead/service-kit/sweep/claims';
import type { ClientSession, Filter, UpdateFilter } from 'mongodb';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { tooManyTriggers, TRIGGER_LIMITS } from '../domain/trigger.ts';
import type { Trigger } from '../domain/trigger.ts';
import type { ClaimedTrigger, FiringTrigger, TriggerChange, TriggerStore } from '../ports/trigger-store.ts';
import { hookTokenBinding } from './sealed-collections.ts';
import { DUE_PATH, dueOf, triggerCollection } from './trigger.collection.ts';
import type { TriggerDocument } from './trigger.collection.ts';

/** The digest by which a token's trigger is found. */
export function hookTokenHash(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** Records an action for the audit log, in the action's transaction. */
type RecordAction = (session: ClientSession, action: RecordedAction) => Promise<void>;

/**
 * Triggers in MongoDB; tokens of their addresses are sealed. When a connection or destination is deleted, each changed trigger is an action
 * in the audit log.
 */
export function createTriggerRepository(
  store: MongoStore,
  sealer: Pick<Sealer, 'seal' | 'open'>,
  record: RecordAction,
): TriggerStore {
  const triggers = store.collection(triggerCollection);

  /** Changes triggers of an account that no request named, and records `action` for each. */
  function changeAll(
    ctx: RequestContext,
    filter: Filter<TriggerDocument> & { readonly accountId: string },
    update: UpdateFilter<TriggerDocument>,
    action: Pick<RecordedAction, 'action' | 'details' | 'occurredAt'>,
  ): Promise<void> {
    const actor =
      ctx.caller.kind === 'user'
        ? ({ kind: 'user', userId: ctx.caller.userId } as const)
        : ({ kind: 'system' } as const);
    const { accountId } = filter;
    return store.withTransaction(async (session) => {
      const options = { ...operationOptions(ctx), session };
      const found = await triggers.find(filter, { ...options, projection: { _id: 1 } }).toArray();
      if (found.length === 0) return;
      const ids = found.map(({ _id }) => _id);
      await triggers.updateMany({ accountId, _id: { $in: ids } }, update, options);
      const { requestId } = ctx;
      for (const id of ids)
        await record(session, { accountId, actor, requestId, resource: { type: 'trigger', id }, ...action });
    });
  }

  async function toTrigger(document: TriggerDocument): Promise<Trigger> {
    const { hook, accountId, _id } = document;
    const hookToken =
      hook === undefined ? null : await sealer.open(accountId, hookTokenBinding(_id), hook.token);
    return { ...plainTrigger(document), hookToken };
  }

  return {
    async insert(ctx, accountId, { id, hookToken, dueAt, configuration, ...same }) {
      const hook = hookToken && {
        tokenHash: hookTokenHash(hookToken.reveal()),
        token: await sealer.seal(accountId, hookTokenBinding(id), hookToken.reveal()),
      };
      const document: TriggerDocument = {
        _id: id,
        accountId,
        ...same,
        configuration: configuration.text,
        generation: 1,
        ...(hook && { hook }),
        due: dueOf(accountId, dueAt, same.poll !== null),
        lastFiredAt: null,
        lastError: null,
        gaps: [],
        updatedAt: same.createdAt,
      };
      const most = TRIGGER_LIMITS.perAccount;
      if (!(await insertWithin(store, ctx, { into: triggers, document, most, like: { accountId } })))
        throw tooManyTriggers();
      return { ...plainTrigger(document), hookToken };
    },

    async find(ctx, accountId, id) {
      const document = await triggers.findOne({ accountId, _id: id }, operationOptions(ctx));
      return document === null ? undefined : await toTrigger(document);
    },

    async list(ctx, accountId, page) {
      const own = { accountId };
      const part = await listNewestFirst(triggers, ctx, own, page, { toItem: toTrigger, hint: 'list' });
      return { ...part, items: await Promise.all(part.items) };
    },

    count: (ctx, accountId, most) =>
      triggers.countDocuments({ accountId }, { ...operationOptions(ctx), hint: 'list', limit: most }),

    async update(ctx, accountId, { id, generation }, { dueBy, ...change }, now) {
      const document = await triggers.findOneAndUpdate(
        { accountId, _id: id, generation },
        {
          $set: { ...membersOf(accountId, change), updatedAt: now },
          $inc: { generation: 1 },
          // For a running trigger this is the end of its claim; the overtaken run releases the claim.
          ...(dueBy !== undefined && { $min: { [`${DUE_PATH}.at`]: dueBy } }),
          // Items already decided by the former filter are filtered again by the new one.
          ...(change.filter !== undefined &&
            change.poll === undefined && { $unset: { 'poll.filtered': '' } }),
        },
        { ...operationOptions(ctx), returnDocument: 'after' },
      );
      return document === null ? undefined : await toTrigger(document);
    },

    async delete(ctx, accountId, id) {
      const { deletedCount } = await triggers.deleteOne({ accountId, _id: id }, operationOptions(ctx));
      return deletedCount === 1;
    },

    async listUses(ctx, accountId, connectionId, most) {
      const documents = await triggers
        .find(
          { accountId, connectionId, isEnabled: true },
          { ...operationOptions(ctx), projection: { _id: 1 } },
        )
        .sort({ _id: 1 })
        .limit(most)
        .toArray();
      return documents.map(({ _id }) => _id);
    },

    disableUses: (ctx, accountId, connectionIds, reason, now) =>
      changeAll(
        ctx,
        { accountId, connectionId: { $in: [...connectionIds] }, isEnabled: true },
        {
          $set: {
            isEnabled: false,
            enabledAt: null,
            due: null,
            poll: null,
            webhookId: null,
            lastError: reason,
            updatedAt: now,
          },
          $inc: { generation: 1 },
        },
        { action: 'trigger.disabled', details: { reason }, occurredAt: now },
      ),

    removeDestinations(ctx, accountId, destinationIds, now) {
      const named = { $in: [...destinationIds] };
      return changeAll(
        ctx,
        { accountId, destinationIds: named },
        { $pull: { destinationIds: named }, $set: { updatedAt: now }, $inc: { generation: 1 } },
        {
          action: 'trigger.destinationsRemoved',
          details: { destinationIds: [...destinationIds] },
          occurredAt: now,
        },
      );
    },
  };
}

/** Decodes the run of a claimed document. */
export function claimedRun({ document, token, since }: Claim<TriggerDocument>): ClaimedTrigger {
  return { trigger: firingTrigger(document), poll: document.poll ?? null, token, since };
}

/** Decodes a trigger for firings. */
export function firingTrigger(document: TriggerDocument): FiringTrigger {
  const { hookToken: _none, ...same } = plainTrigger(document);
  return { ...same, accountId: document.accountId };
}

/** Decodes a trigger, without the token of its address. */
export function plainTrigger(document: TriggerDocument): Trigger {
  const { _id, accountId: _account, configuration, hook: _hook, due: _due, poll: _poll, ...same } = document;
  // The text was written from an object, so it parses to one.
  return { ...same, id: _id, configuration: new LazyJson(Buffer.from(configuration)), hookToken: null };
}

function membersOf(
  accountId: string,
  { configuration, dueAt, ...same }: Omit<TriggerChange, 'dueBy'>,
): Partial<TriggerDocument> {
  return {
    ...same,
    ...(configuration !== undefined && { configuration: configuration.text }),
    // Only a poll has a cursor.
    ...(dueAt !== undefined && { due: dueOf(accountId, dueAt, same.poll !== null) }),
  };
}
