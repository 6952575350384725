import type { Document } from 'mongodb';
import { guid } from '../ids.ts';
import type { CollectionDefinition } from '../mongo/collection.ts';
import type { MongoStore } from '../mongo/mongo.ts';

/** When something is to be done about a document, and who does it now. A member of the document; null: nothing is. */
export interface Due {
  /** The documents of a lane have a limit and a pace of their own, so that no lane waits for another one. */
  readonly lane: string;
  /** When it is due; while it is claimed, when the claim expires. */
  readonly at: Date;
  /** The claim in force, or the last one if it expired; `since` is when the document became due. Null: none. */
  readonly claim: { readonly token: string; readonly since: Date } | null;
}

/** A document that this process alone may work on, until the claim expires. */
export interface Claimed<T extends Document> {
  readonly document: T;
  readonly token: string;
  readonly lane: string;
  /** When it became due. */
  readonly since: Date;
}

/** The new state of a claimed document: it is due again `at`, or no longer (null); `set` are other members to write. */
export interface Settlement {
  readonly at: Date | null;
  readonly set?: Readonly<Record<string, unknown>>;
}

/** A lane, and how many of its documents may be claimed. */
export interface Turn {
  readonly lane: string;
  readonly limit: number;
}

/** The due documents of a collection, which one process at a time claims. */
export interface Claims<T extends Document> {
  /** The lanes with due documents, that of the longest overdue first; at most `limit`. */
  dueLanes(now: Date, limit: number): Promise<readonly { readonly lane: string; readonly at: Date }[]>;
  /**
   * Claims due documents of a lane until `until`, the longest overdue first. A claim that expired is free: what its holder
   * has not settled is claimed again.
   */
  claim(
    lane: string,
    o: { readonly now: Date; readonly until: Date; readonly limit: number },
  ): Promise<readonly Claimed<T>[]>;
  /** The same for several lanes, each with its limit, in as many operations of the database as one lane takes. */
  claimEach(
    turns: readonly Turn[],
    o: { readonly now: Date; readonly until: Date },
  ): Promise<readonly Claimed<T>[]>;
  /** Ends a claim, in one write with `set`. False, with nothing written: somebody else claimed or scheduled it since. */
  settle(claimed: Claimed<T>, settlement: Settlement): Promise<boolean>;
  /** Puts off documents whose work was not begun: they are due `at` that time, and were due since they first were. */
  defer(claimed: readonly Claimed<T>[], at: Date): Promise<void>;
  /** Ends claims whose work was not begun: the documents are due at once. */
  release(claimed: readonly Claimed<T>[]): Promise<void>;
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
 * The index by which claims find the lanes with due documents in proportion to what is due, where many lanes have none. It costs
 * one more write of each change of `path`.
 */
export function dueTimeIndex(path: string) {
  return {
    key: { [`${path}.at`]: 1, [`${path}.lane`]: 1 },
    name: `${path.replaceAll('.', '_')}_time`,
    partialFilterExpression: { [`${path}.lane`]: { $gt: '' } },
  } as const;
}

/** Due documents, the longest overdue, that are read to find their lanes. */
const DUE_PAGE = 5_000;
/** So many lanes cannot all be at their bounds. If a full page has fewer, every lane is looked at: others may be behind theirs. */
const MANY_LANES = 500;

/** A document as claims see it. Its id may be of any type; the driver wants to know one. */
interface Stored {
  readonly _id: string;
}

/**
 * The claims on the documents of a collection with the member `path`, a {@link Due}, and the index `dueIndex(path)`: of all lanes,
 * or of those that begin with `lanes`. `hasTimeIndex`: it has `dueTimeIndex(path)` too.
 */
export function createClaims<T extends Document>(
  store: Pick<MongoStore, 'db'>,
  definition: CollectionDefinition<T>,
  path: string,
  o: { readonly lanes?: string; readonly hasTimeIndex?: boolean } = {},
): Claims<T> {
  // Paths are made of `path`, so the driver's types cannot check them.
  const documents = store.db.collection<Stored>(definition.name);
  const [lane, at, claim, token] = [`${path}.lane`, `${path}.at`, `${path}.claim`, `${path}.claim.token`];

  const lanes = o.lanes === undefined ? { $gt: '' } : { $gte: o.lanes, $lt: `${o.lanes}\u{10FFFF}` };

  /** The lanes with due documents, all or many of them; undefined: some lanes have so many that they may hide others. */
  async function lanesOfDue(now: Date): Promise<readonly { lane: string; at: Date }[] | undefined> {
    const found = await documents
      .aggregate<{ lane: string; at: Date; count: number }>(
        [
          { $match: { [at]: { $lte: now }, [lane]: lanes } },
          { $sort: { [at]: 1, [lane]: 1 } },
          { $limit: DUE_PAGE },
          { $group: { _id: `$${lane}`, at: { $first: `$${at}` }, count: { $sum: 1 } } },
          { $sort: { at: 1 } },
          { $project: { _id: 0, lane: '$_id', at: 1, count: 1 } },
        ],
        { hint: dueTimeIndex(path).name },
      )
      .toArray();
    const total = found.reduce((sum, { count }) => sum + count, 0);
    return total < DUE_PAGE || found.length >= MANY_LANES
      ? found.map(({ count: _count, ...each }) => each)
      : undefined;
  }

  async function claimEach(
    turns: readonly Turn[],
    { now, until }: { readonly now: Date; readonly until: Date },
  ): Promise<readonly Claimed<T>[]> {
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

  /** Reads the ids of the longest overdue documents of each lane, as many as its limit. */
  function dueOfEach([first, ...others]: readonly Turn[], now: Date): Document[] {
    if (first === undefined) throw new Error('No lane is claimed.');
    return [
      { $match: { [lane]: first.lane, [at]: { $lte: now } } },
      { $sort: { [lane]: 1, [at]: 1 } },
      { $limit: first.limit },
      { $project: { _id: 1 } },
      ...others.map((other) => ({
        $unionWith: { coll: definition.name, pipeline: dueOfEach([other], now) },
      })),
    ];
  }

  return {
    async dueLanes(now, limit) {
      const ofDue = o.hasTimeIndex === true ? await lanesOfDue(now) : undefined;
      if (ofDue !== undefined) return ofDue.slice(0, limit);
      return await documents
        .aggregate<{ lane: string; at: Date }>(
          [
            // The first document of each lane is one step in the index, whatever the number of documents.
            { $match: { [lane]: lanes } },
            { $sort: { [lane]: 1, [at]: 1 } },
            { $group: { _id: `$${lane}`, at: { $first: `$${at}` } } },
            { $match: { at: { $lte: now } } },
            { $sort: { at: 1 } },
            { $limit: limit },
            { $project: { _id: 0, lane: '$_id', at: 1 } },
          ],
          { hint: dueIndex(path).name },
        )
        .toArray();
    },

    claim: (wanted, { limit, ...times }) => claimEach([{ lane: wanted, limit }], times),

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

function claimOf<T extends Document>(document: T, path: string, token: string): Claimed<T> {
  const due = path.split('.').reduce<unknown>((value, name) => memberOf(value, name), document);
  // The write of the claim has just made it so.
  const { lane, claim } = due as Due & { readonly claim: NonNullable<Due['claim']> };
  return { document, token, lane, since: claim.since };
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
