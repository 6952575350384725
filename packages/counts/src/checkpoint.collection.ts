import type { Document } from 'mongodb';
import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { CollectionDefinition } from '@fairlead/service-kit/mongo/collection';

/** The number of rows of one kind up to an id, by member. Counts read checkpoints instead of rows. */
export type CheckpointDocument<Id, M extends string> = {
  readonly accountId: string;
  /** The name of the counted rows. */
  readonly of: string;
  /**
   * The checkpoint's id. The member of each counted kind is the number of rows with lower ids, starting at the first checkpoint; only
   * differences of these numbers are meaningful.
   */
  readonly at: Id;
  /** The account's generation when the checkpoint was written. */
  readonly generation: number;
  /** The time of `at`, for the TTL index. */
  readonly createdAt: Date;
} & Readonly<Record<M, number>>;

/** Orders the writers of an account's checkpoints: each of their transactions writes this document. */
export interface CountStateDocument<Id> {
  /** The account's id. */
  readonly _id: string;
  /** Grows when checkpoints are removed because rows below them are about to change. */
  readonly generation: number;
  /** Grows when checkpoints are added. */
  readonly additions: number;
  /** Until `changingUntil`, rows from this id on may change, and no checkpoint is added above it. */
  readonly changingFrom?: Id;
  readonly changingUntil?: Date;
}

const DAY_SECONDS = 24 * 60 * 60;

/** Declares a service's checkpoints. Counts read only its one index; checkpoints expire together with the rows. */
export function checkpointCollection<Id, M extends string>(o: {
  readonly name: string;
  readonly members: readonly M[];
  /** Lifetime of rows. */
  readonly rowSeconds: number;
}): CollectionDefinition<CheckpointDocument<Id, M> & Document> {
  const members = Object.fromEntries(o.members.map((member) => [member, 1 as const]));
  return defineCollection({
    name: o.name,
    indexes: [
      { key: { accountId: 1, of: 1, at: 1, ...members, generation: 1 }, name: 'in_order' },
      { key: { createdAt: 1 }, name: 'retention', expireAfterSeconds: o.rowSeconds + DAY_SECONDS },
    ],
  });
}

/** Declares the states of the accounts whose rows are counted. */
export function countStateCollection<Id>(
  name: string,
): CollectionDefinition<CountStateDocument<Id> & Document> {
  return defineCollection({ name, indexes: [] });
}
