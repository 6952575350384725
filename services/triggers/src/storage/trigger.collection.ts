import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { Sealed } from '@fairlead/sealing/sealed-value';
import { dueIndex, dueTimeIndex } from '@fairlead/service-kit/sweep/claims';
import type { Due } from '@fairlead/service-kit/sweep/claims';
import type { PollState } from '../domain/poll.ts';
import type { Trigger } from '../domain/trigger.ts';

/** One trigger. */
export interface TriggerDocument extends Omit<Trigger, 'id' | 'configuration' | 'hookToken'> {
  /** The trigger's id. */
  readonly _id: string;
  readonly accountId: string;
  /** JSON text: names of members may not be valid in BSON. */
  readonly configuration: string;
  /** Present if anybody may call it over HTTP: the digest of its token, by which it is found, and the token. */
  readonly hook?: { readonly tokenHash: string; readonly token: Sealed };
  /** When it runs by itself, and who runs it now; null: it does not. Made by `dueOf`. */
  readonly due: Due | null;
  /** Where it goes on, if it polls. */
  readonly poll?: PollState | null;
}

/** Where a document says when it runs. */
export const DUE_PATH = 'due';

/** Prefix of the partitions of schedules: they are the ids of accounts. */
export const SCHEDULE_PARTITIONS = 'acc_';

/** Prefix of the partitions of polls. They have partitions of their own because a run may take long. */
export const POLL_PARTITIONS = 'polls/';

/** When a trigger of an account runs by itself. */
export function dueOf(accountId: string, at: Date | null, isPoll: boolean): Due | null {
  return at === null ? null : { lane: isPoll ? POLL_PARTITIONS + accountId : accountId, at, claim: null };
}

/** Name of the index by which a call finds its trigger. */
export const HOOK_INDEX = 'hook';

/**
 * Lists and exports read the first index, deletions of connections and destinations the next two, and firings of system types
 * the one after them.
 */
export const triggerCollection = defineCollection<TriggerDocument>({
  name: 'triggers',
  indexes: [
    { key: { accountId: 1, createdAt: -1, _id: -1 }, name: 'list' },
    { key: { accountId: 1, connectionId: 1, _id: 1 }, name: 'of_a_connection' },
    { key: { accountId: 1, destinationIds: 1 }, name: 'of_a_destination' },
    {
      key: { accountId: 1, triggerTypeSlug: 1, _id: 1 },
      name: 'of_a_type',
      partialFilterExpression: { isEnabled: true },
    },
    {
      key: { 'hook.tokenHash': 1 },
      name: HOOK_INDEX,
      unique: true,
      partialFilterExpression: { 'hook.tokenHash': { $gt: '' } },
    },
    dueIndex(DUE_PATH),
    dueTimeIndex(DUE_PATH),
  ],
});
