import type { Document } from 'mongodb';
import { guid } from '../ids.ts';
import type { CollectionDefinition } from '../mongo/collection.ts';
import type { MongoStore } from '../mongo/mongo.ts';

/** When something is to be done about a document, and who does it now. A member of the document; null: nothing is. */
export interface DueState {
  /** The partition. Its documents have a limit and a start rate of their own, so that no partition waits for another one. */
  readonly lane: string;
  /** When it is due; while it is claimed, when the claim expires. */
  readonly at: Date;
  /** The claim in force, or the last one if it expired; `since` is when the document became due. Null: none. */
  readonly claim: { readonly token: string; readonly since: Date } | null;
}

/** A document that this process alone may work on, until the claim expires. */
export interface Claim<T extends Document> {
  readonly document: T;
  readonly token: string;
  readonly partition: string;
  /** When it became due. */
  readonly since: Date;
}

/** The new state of a claimed document: it is due again `at`, or no longer (null); `set` are other members to write. */
export interface Settlement {
  readonly at: Date | null;
  readonly set?: Readonly<Record<string, unknown>>;
}

/** A partition, and how many of its documents may be claimed. */
export interface Turn {
  readonly partition: string;
  readonly limit: number;
}

/** The due documents of a collection, which one process at a time claims. */
export interface Claims<T extends Document> {
  /** The partitions with due documents, that of the longest overdue first; at most `limit`. */
  duePartitions(
    now: Date,
    limit: number,
  ): Promise<readonly { readonly partition: string; readonly at: Date }[]>;
  /**
   * Claims due documents of a partition until `until`, the longest overdue first. A claim that expired is free: what its holder
   * has not settled is claimed again.
   */
  claim(
    partition: string,
    o: { readonly now: Date; readonly until: Date; readonly limit: number },
  ): Promise<readonly Claim<T>[]>;
  /** The same for several partitions, each with its limit, in as many operations of the database as one partition takes. */
  claimEach(
    turns: readonly Turn[],
    o: { readonly now: Date; readonly until: Date },
  ): Promise<readonly Claim<T>[]>;
  /** Ends a claim, in one write with `set`. False, with nothing written: somebody else claimed or scheduled it since. */
  settle(claimed: Claim<T>, settlement: Settlement): Promise<boolean>;
  /** Puts off documents whose work was not begun: they are due `at` that time, and were due since they first were. */
  defer(claimed: readonly Claim<T>[], at: Date): Promise<void>;
  /** Ends claims whose work was not begun: the documents are due at once. */
  release(claimed: readonly Claim<T>[]): Promise<void>;
}

/** The index by which the documents with the member `path` are claimed; a collection with claims declares it. */
export function dueIndex(path: string) {
  return {
    key: { [`${path}.lane`]: 1, [`${path}.at`]: 1 },
    name: `${path.replaceAll('.', '_')}_due`,
    partialFilterExpression: { [`${path}.lane`]: { $gt: '' } },
  } as const;
}

/**
 * The index by which claims find the partitions with due documents in proportion to what is due, where many partitions have none. It costs
 * one more write of each change of `path`.
 */
export function dueTimeIndex(path: string) {
  return {
    key: { [`${path}.at`]: 1, [`${path}.lane`]: 1 },
    name: `${path.replaceAll('.', '_')}_time`,
    partialFilterExpression: { [`${path}.lane`]: { $gt: '' } },
  } as const;
}

/** Due documents, the longest overdue, that are read to find their partitions. */
const DUE_PAGE = 5_000;
/** So many partitions cannot all be at their bounds. If a full page has fewer, every partition is looked at: others may be behind theirs. */
const MANY_PARTITIONS = 500;

/** A document as claims see it. Its id may be of any type; the driver wants to know one. */
interface Stored {
  readonly _id: string;
}

/**
 * The claims on the documents of a collection with the member `path`, a {@link DueState}, and the index `dueIndex(path)`: of all partitions,
 * or of those that begin with `partitions`. `hasTimeIndex`: it has `dueTimeIndex(path)` too.
 */
export function createClaims<T extends Document>(
  store: Pick<MongoStore, 'db'>,
  definition: CollectionDefinition<T>,
  path: string,
  o: { readonly partitions?: string; readonly hasTimeIndex?: boolean } = {},
): Claims<T> {
  // Paths are made of `path`, so the driver's types cannot check them.
  const documents = store.db.collection<Stored>(definition.name);
  const [partition, at, claim, token] = [
    `${path}.lane`,
    `${path}.at`,
    `${path}.claim`,
    `${path}.claim.token`,
  ];

  const partitions =
    o.partitions === undefined ? { $gt: '' } : { $gte: o.partitions, $lt: `${o.partitions}\u{10FFFF}` };

  /** The partitions with due documents, all or many of them; undefined: some partitions have so many that they may hide others. */
  async function partitionsOfDue(now: Date): Promise<readonly { partition: string; at: Date }[] | undefined> {
    const found = await documents
      .aggregate<{ partition: string; at: Date; count: number }>(
        [
          { $match: { [at]: { $lte: now }, [partition]: partitions } },
          { $sort: { [at]: 1, [partition]: 1 } },
          { $limit: DUE_PAGE },
          { $group: { _id: `$${partition}`, at: { $first: `$${at}` }, count: { $sum: 1 } } },
          { $sort: { at: 1 } },
          { $project: { _id: 0, partition: '$_id', at: 1, count: 1 } },
        ],
        { hint: dueTimeIndex(path).name },
      )
      .toArray();
    const total = found.reduce((sum, { count }) => sum + count, 0);
    return total < DUE_PAGE || found.length >= MANY_PARTITIONS
      ? found.map(({ count: _count, ...each }) => each)
      : undefined;
  }

  async function claimEach(
    turns: readonly Turn[],
    { now, until }: { readonly now: Date; readonly until: Date },
  ): Promise<readonly Claim<T>[]> {
    const found = await documents.aggregate<Stored>(dueOfEach(turns, now)).toArray();
    if (found.length === 0) return [];
    const mine = guid();
    const ids = { _id: { $in: found.map(({ _id }) => _id) } };
    const since = { $ifNull: [`$${claim}.since`, `$${at}`] };
    await documents.updateMany({ ...ids, [at]: { $lte: now } }, [
      { $set: { [claim]: { token: mine, since }, [at]: until } },
    ]);
    const claimed = await documents.find({ ...ids, [token]: mine }).toArray();
    // They are of this collection.
    return claimed.map((document) => claimOf(document as unknown as T, path, mine));
  }

  /** Reads the ids of the longest overdue documents of each partition, as many as its limit. */
  function dueOfEach([first, ...others]: readonly Turn[], now: Date): Document[] {
    if (first === undefined) throw new Error('No partition is claimed.');
    return [
      { $match: { [partition]: first.partition, [at]: { $lte: now } } },
      { $sort: { [partition]: 1, [at]: 1 } },
      { $limit: first.limit },
      { $project: { _id: 1 } },
      ...others.map((other) => ({
        $unionWith: { coll: definition.name, pipeline: dueOfEach([other], now) },
      })),
    ];
  }

  return {
    async duePartitions(now, limit) {
      const ofDue = o.hasTimeIndex === true ? await partitionsOfDue(now) : undefined;
      if (ofDue !== undefined) return ofDue.slice(0, limit);
      return await documents
        .aggregate<{ partition: string; at: Date }>(
          [
            // The first document of each partition is one step in the index, whatever the number of documents.
            { $match: { [partition]: partitions } },
            { $sort: { [partition]: 1, [at]: 1 } },
            { $group: { _id: `$${partition}`, at: { $first: `$${at}` } } },
            { $match: { at: { $lte: now } } },
            { $sort: { at: 1 } },
            { $limit: limit },
            { $project: { _id: 0, partition: '$_id', at: 1 } },
          ],
          { hint: dueIndex(path).name },
        )
        .toArray();
    },

    claim: (wanted, { limit, ...times }) => claimEach([{ partition: wanted, limit }], times),

    claimEach,

    async settle({ document, token: mine }, { at: next, set = {} }) {
      const end = next === null ? { [path]: null } : { [at]: next, [claim]: null };
      const { matchedCount } = await documents.updateOne(
        { _id: (document as unknown as Stored)._id, [token]: mine },
        { $set: { ...set, ...end } },
      );
      return matchedCount === 1;
    },

    async defer(claimed, until) {
      if (claimed.length === 0) return;
      await documents.bulkWrite(
        claimed.map(({ document, token: mine }) => ({
          updateOne: {
            filter: { _id: (document as unknown as Stored)._id, [token]: mine },
            // The claim stays, as one that has expired, because it says since when the document is due.
            update: { $set: { [at]: until } },
          },
        })),
        { ordered: false },
      );
    },

    async release(claimed) {
      if (claimed.length === 0) return;
      await documents.bulkWrite(
        claimed.map(({ document, token: mine, since }) => ({
          updateOne: {
            filter: { _id: (document as unknown as Stored)._id, [token]: mine },
            update: { $set: { [at]: since, [claim]: null } },
          },
        })),
        { ordered: false },
      );
    },
  };
}

function claimOf<T extends Document>(document: T, path: string, token: string): Claim<T> {
  const due = path.split('.').reduce<unknown>((value, name) => memberOf(value, name), document);
  // The write of the claim has just made it so.
  const { lane: partition, claim } = due as DueState & { readonly claim: NonNullable<DueState['claim']> };
  return { document, token, partition, since: claim.since };
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
