import type { Document } from 'mongodb';
import { guid } from '../ids.ts';
import type { CollectionDefinition } from '../mongo/collection.ts';
import type { MongoStore } from '../mongo/mongo.ts';

/** The due time and the current claim of a document's work. A member of the document; null: no work. */
export interface DueState {
  /** The partition. Partitions have separate limits and start rates, so none waits for another. */
  readonly lane: string;
  /** The due time; of a claimed document, the expiry of the claim. */
  readonly at: Date;
  /** The current claim, or the last one if it expired; `since`: when the document became due. Null: none. */
  readonly claim: { readonly token: string; readonly since: Date } | null;
}

/** A document on which only this process may work, until the claim expires. */
export interface Claim<T extends Document> {
  readonly document: T;
  readonly token: string;
  readonly partition: string;
  /** When it became due. */
  readonly since: Date;
}

/** The new state of a claimed document: due again `at`, or no longer (null); `set`: other members to write. */
export interface Settlement {
  readonly at: Date | null;
  readonly set?: Readonly<Record<string, unknown>>;
}

/** A partition, and the number of its documents that may be claimed. */
export interface Turn {
  readonly partition: string;
  readonly limit: number;
}

/** The due documents of a collection, each of which one process at a time claims. */
export interface Claims<T extends Document> {
  /** The partitions with due documents, the longest overdue first; at most `limit`. */
  duePartitions(
    now: Date,
    limit: number,
  ): Promise<readonly { readonly partition: string; readonly at: Date }[]>;
  /**
   * Claims due documents of a partition until `until`, the longest overdue first. Documents whose claim expired
   * unsettled are claimed again.
   */
  claim(
    partition: string,
    o: { readonly now: Date; readonly until: Date; readonly limit: number },
  ): Promise<readonly Claim<T>[]>;
  /** Claims in several partitions, each with its limit, in as many database operations as one partition needs. */
  claimEach(
    turns: readonly Turn[],
    o: { readonly now: Date; readonly until: Date },
  ): Promise<readonly Claim<T>[]>;
  /**
   * Ends a claim and writes `set`, in one write. False, with nothing written: another process has claimed or
   * scheduled the document since.
   */
  settle(claimed: Claim<T>, settlement: Settlement): Promise<boolean>;
  /** Defers documents whose work has not begun: they become due `at` that time, and keep their original due time in `since`. */
  defer(claimed: readonly Claim<T>[], at: Date): Promise<void>;
  /** Releases claims whose work has not begun: the documents are due at once. */
  release(claimed: readonly Claim<T>[]): Promise<void>;
}

/** The index for claiming documents by the member `path`; every collection with claims declares it. */
export function dueIndex(path: string) {
  return {
    key: { [`${path}.lane`]: 1, [`${path}.at`]: 1 },
    name: `${path.replaceAll('.', '_')}_due`,
    partialFilterExpression: { [`${path}.lane`]: { $gt: '' } },
  } as const;
}

/**
 * An index that finds the partitions with due documents at a cost in proportion to the due documents, for collections
 * where most partitions have none. It costs one more write per change of `path`.
 */
export function dueTimeIndex(path: string) {
  return {
    key: { [`${path}.at`]: 1, [`${path}.lane`]: 1 },
    name: `${path.replaceAll('.', '_')}_time`,
    partialFilterExpression: { [`${path}.lane`]: { $gt: '' } },
  } as const;
}

/** Maximum due documents, the longest overdue first, that are read to find their partitions. */
const DUE_PAGE = 5_000;
/**
 * Number of partitions that cannot all be at their limits. If a full page has fewer, all partitions are examined,
 * because the page may hide others.
 */
const MANY_PARTITIONS = 500;

/** A document as claims see it. Its id may have any type, but the driver needs one. */
interface ClaimableDocument {
  readonly _id: string;
}

/**
 * The claims on a collection's documents by the member `path`, a {@link Due}, and the index `dueIndex(path)`: of all
 * partitions, or of those that begin with `partitions`. `hasTimeIndex`: the collection also has `dueTimeIndex(path)`.
 */
export function createClaims<T extends Document>(
  store: Pick<MongoStore, 'db'>,
  definition: CollectionDefinition<T>,
  path: string,
  o: { readonly partitions?: string; readonly hasTimeIndex?: boolean } = {},
): Claims<T> {
  // Paths are built from `path`, so the driver's types cannot check them.
  const documents = store.db.collection<ClaimableDocument>(definition.name);
  const [partition, at, claim, token] = [
    `${path}.lane`,
    `${path}.at`,
    `${path}.claim`,
    `${path}.claim.token`,
  ];

  const partitions =
    o.partitions === undefined ? { $gt: '' } : { $gte: o.partitions, $lt: `${o.partitions}\u{10FFFF}` };

  /**
   * The partitions with due documents, all or many of them; undefined: some partitions have so many due documents
   * that they may hide others.
   */
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
    const found = await documents.aggregate<ClaimableDocument>(dueOfEach(turns, now)).toArray();
    if (found.length === 0) return [];
    const mine = guid();
    const ids = { _id: { $in: found.map(({ _id }) => _id) } };
    const since = { $ifNull: [`$${claim}.since`, `$${at}`] };
    await documents.updateMany({ ...ids, [at]: { $lte: now } }, [
      { $set: { [claim]: { token: mine, since }, [at]: until } },
    ]);
    const claimed = await documents.find({ ...ids, [token]: mine }).toArray();
    // The ids come from this collection.
    return claimed.map((document) => claimOf(document as unknown as T, path, mine));
  }

  /** Reads the ids of each partition's longest overdue documents, up to its limit. */
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
            // Finding the first document of each partition is one step in the index, whatever the number of
            // documents.
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

    claim: (partition, { limit, ...times }) => claimEach([{ partition: partition, limit }], times),

    claimEach,

    async settle({ document, token: mine }, { at: next, set = {} }) {
      const end = next === null ? { [path]: null } : { [at]: next, [claim]: null };
      const { matchedCount } = await documents.updateOne(
        { _id: (document as unknown as ClaimableDocument)._id, [token]: mine },
        { $set: { ...set, ...end } },
      );
      return matchedCount === 1;
    },

    async defer(claimed, until) {
      if (claimed.length === 0) return;
      await documents.bulkWrite(
        claimed.map(({ document, token: mine }) => ({
          updateOne: {
            filter: { _id: (document as unknown as ClaimableDocument)._id, [token]: mine },
            // The claim stays as an expired one, because it records since when the document is due.
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
            filter: { _id: (document as unknown as ClaimableDocument)._id, [token]: mine },
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
  // The claim's write has just set this member.
  const { lane: partition, claim } = due as DueState & { readonly claim: NonNullable<DueState['claim']> };
  return { document, token, partition, since: claim.since };
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
