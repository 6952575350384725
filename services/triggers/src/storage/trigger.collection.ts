import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { SealedValue } from '@fairlead/sealing/sealed-value';
import { dueIndex, dueTimeIndex } from '@fairlead/service-kit/sweep/claims';
import type { DueState } from '@fairlead/service-kit/sweep/claims';
import type { PollState } from '../domain/poll.ts';
import type { Trigger } from '../domain/trigger.ts';

export interface TriggerDocument extends Omit<Trigger, 'id' | 'configuration' | 'hookToken'> {
  /** The trigger's id. */
  readonly _id: string;
  readonly accountId: string;
  /** JSON text, because member names may be invalid in BSON. */
  readonly configuration: string;
  /** Only with a public address: the digest by which the token is found, and the token. */
  readonly hook?: { readonly tokenHash: string; readonly token: SealedValue };
  /** When it runs by itself, and which process runs it; null: it does not. Created by `dueOf`. */
  readonly due: DueState | null;
  /** Cursor and failures of a poll. */
  readonly poll?: PollState | null;
}

/** Path of the member that says when it runs. */
export const DUE_PATH = 'due';

/** Prefix of schedules' partitions, which are account ids. */
export const SCHEDULE_PARTITIONS = 'acc_';

/** Prefix of polls' partitions: separate from schedules, because a poll may take long. */
export const POLL_PARTITIONS = 'polls/';

/** Due time of an account's trigger that runs by itself. */
export function dueOf(accountId: string, at: Date | null, isPoll: boolean): DueState | null {
  return at === null ? null : { lane: isPoll ? POLL_PARTITIONS + accountId : accountId, at, claim: null };
}

/** The index by which a call finds its trigger. */
export const HOOK_INDEX = 'hook';

/** In order: index for lists and exports; two for deletions of connections and destinations; one for firings of system types. */
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
