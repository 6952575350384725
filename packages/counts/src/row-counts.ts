import type { ClientSession } from 'mongodb';
import type { Clock } from '@fairlead/service-kit/clock';
import type { CollectionDefinition } from '@fairlead/service-kit/mongo/collection';
import type { MongoStore, OperationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { CheckpointDocument, CountStateDocument } from './checkpoint.collection.ts';
import { createPendingChanges } from './pending-changes.ts';
import type { ChangedRow } from './pending-changes.ts';
import type { TimedIds } from './timed-ids.ts';

/** Number of rows between two checkpoints, and number that a count reads at each end. */
const ROWS_PER_CHECKPOINT = 500;
/** Maximum checkpoints per transaction, which may take a minute. */
const CHECKPOINTS_AT_ONCE = 20;
/** Maximum attempts of a read; more than the number of removals that can happen during a count. */
const READ_ATTEMPTS = 3;

/** Age from which checkpoints count a row. */
const CLOSED_AFTER_MS = 120_000;
/** MongoDB removes rows by its own clock, so rows near the end of retention are counted directly. */
const RETENTION_MARGIN_MS = 600_000;

/** Ids from `from` (inclusive) to `to` (exclusive). */
export interface IdRange<Id> {
  readonly from: Id;
  readonly to: Id;
}

/** The options of a read. */
export type CountOptions = Partial<OperationOptions> & { readonly session?: ClientSession };

/** A service's rows, read by index keys in the order of ids. `S` selects some of them. */
export interface CountedRows<Id, S, M extends string> {
  /** The name of the rows that a selection's checkpoints count, whichever of the members it selects. */
  countedAs(selection: S): string;
  /** The member that a selection counts. */
  memberOf(selection: S): M;
  /** Whether a count may read many more keys than it counts. */
  isSparse(selection: S): boolean;
  count(options: CountOptions, accountId: string, selection: S, range: IdRange<Id>): Promise<number>;
  /** Counts the rows of each member. */
  countMembers(
    options: CountOptions,
    accountId: string,
    selection: S,
    range: IdRange<Id>,
  ): Promise<Readonly<Record<M, number>>>;
  /** The id of the row after `skip` others, oldest first, whatever its member; undefined: there are fewer. */
  idAfter(
    options: CountOptions,
    accountId: string,
    selection: S,
    o: { readonly range: IdRange<Id>; readonly skip: number },
  ): Promise<Id | undefined>;
}

/** The number of rows in a range of ids, and the position at which to begin to read. */
export interface RangeCount<Id> {
  readonly rows: number;
  /** Whether missing checkpoints would have saved much of this count. */
  readonly isLong: boolean;
  /** Finds the row at `offset` of the counted range, newest first: it is the row at `skip` of the returned, smaller range. */
  readonly seek: (offset: number) => Promise<{ readonly range: IdRange<Id>; readonly skip: number }>;
}

/**
 * Counts rows exactly, by the difference of two checkpoints and the rows beyond them (ADR 42). Checkpoints are derived from
 * rows, and may be removed at any time.
 */
export interface RowCounts<Id, S> {
  count(options: CountOptions, accountId: string, selection: S, range: IdRange<Id>): Promise<RangeCount<Id>>;
  /** Adds some of a selection's missing checkpoints; true: more are missing. */
  extend(accountId: string, selection: S): Promise<boolean>;
  /**
   * Runs a write that adds, changes or removes rows. If some of them may already be counted, checkpoints above them
   * are removed first, and not added again during the write.
   */
  changing<T>(rows: readonly ChangedRow<Id>[], write: () => Promise<T>): Promise<T>;
}

/** The counts of rows in a store. `rowsPerCheckpoint` is for tests. */
export function createRowCounts<Id extends string | number, S, M extends string>({
  store,
  clock,
  rows: source,
  ids,
  keptSince,
  members,
  rowsPerCheckpoint = ROWS_PER_CHECKPOINT,
  ...collections
}: {
  readonly store: Pick<MongoStore, 'collection' | 'withTransaction'>;
  readonly clock: Clock;
  readonly checkpoints: CollectionDefinition<CheckpointDocument<Id, M>>;
  readonly states: CollectionDefinition<CountStateDocument<Id>>;
  readonly rows: CountedRows<Id, S, M>;
  readonly ids: TimedIds<Id>;
  /** Earlier rows no longer exist. */
  readonly keptSince: (now: Date) => Date;
  /** The members that checkpoints count. */
  readonly members: readonly M[];
  readonly rowsPerCheckpoint?: number | undefined;
}): RowCounts<Id, S> {
  type Checkpoint = { readonly at: Id; readonly generation: number } & Readonly<Record<M, number>>;
  const checkpoints = store.collection(collections.checkpoints);
  const states = store.collection(collections.states);
  const projection = {
    _id: 0,
    at: 1,
    generation: 1,
    ...Object.fromEntries(members.map((member) => [member, 1])),
  };
  const hint = 'in_order';
  const changes = createPendingChanges({ checkpoints, states, ids, clock });

  /** The first checkpoint that matches the filter, in this direction. */
  const one = (
    filter: object,
    direction: 1 | -1,
    options: CountOptions = {},
  ): Promise<Checkpoint | undefined> =>
    store
      .collection(collections.checkpoints)
      .find(filter, { ...options, hint })
      .sort({ at: direction })
      .limit(1)
      .project<Checkpoint>(projection)
      .next()
      .then((found) => found ?? undefined);

  /** The first and the last checkpoint of a range, if it has any. */
  async function outermost(
    options: CountOptions,
    accountId: string,
    of: string,
    { from, to }: IdRange<Id>,
  ): Promise<{ readonly first: Checkpoint; readonly last: Checkpoint } | undefined> {
    const found = (direction: 1 | -1) =>
      one({ accountId, of, at: { $gte: from, $lte: to } }, direction, options);
    for (let attempt = 1; attempt <= READ_ATTEMPTS; attempt += 1) {
      const last = await found(-1);
      if (last === undefined) return undefined;
      const first = await found(1);
      // If this is false, the last checkpoint was removed meanwhile, and the first one may count rows differently.
      if (first !== undefined && first.generation <= last.generation) return { first, last };
    }
    return undefined;
  }

  async function countRows(
    options: CountOptions,
    accountId: string,
    selection: S,
    range: IdRange<Id>,
  ): Promise<number> {
    return range.from >= range.to ? 0 : source.count(options, accountId, selection, range);
  }

  const before = (ms: number): Id => ids.firstOf(new Date(clock.now().getTime() - ms));

  /** The id for the next checkpoint; undefined: too few rows are old enough, or some of them may change now. */
  async function nextBoundary(
    accountId: string,
    selection: S,
    { from, changingFrom }: { readonly from: Id; readonly changingFrom?: Id | undefined },
    options: CountOptions = {},
  ): Promise<Id | undefined> {
    const closed = before(CLOSED_AFTER_MS);
    const to = changingFrom !== undefined && changingFrom < closed ? changingFrom : closed;
    if (from >= to) return undefined;
    const range = { from, to };
    return source.idAfter(options, accountId, selection, { range, skip: rowsPerCheckpoint });
  }

  const isLong = (selection: S, read: number): boolean =>
    read > 2 * rowsPerCheckpoint || source.isSparse(selection);

  return {
    async count(options, accountId, selection, range) {
      const of = source.countedAs(selection);
      const kept = ids.firstOf(new Date(keptSince(clock.now()).getTime() + RETENTION_MARGIN_MS));
      const from = range.from > kept ? range.from : kept;
      const between = await outermost(options, accountId, of, { ...range, from });
      if (between === undefined) {
        const rows = await countRows(options, accountId, selection, range);
        return counted(rows, isLong(selection, rows), range);
      }
      const { first, last } = between;
      const member = source.memberOf(selection);
      const [older, newer] = await Promise.all([
        countRows(options, accountId, selection, { from: range.from, to: first.at }),
        countRows(options, accountId, selection, { from: last.at, to: range.to }),
      ]);
      return {
        rows: older + last[member] - first[member] + newer,
        isLong: isLong(selection, newer),
        async seek(offset) {
          if (offset < newer) return { range, skip: offset };
          // The lowest checkpoint with at most `offset` rows of the range above it.
          const lowest = await one(
            {
              accountId,
              of,
              at: { $gte: first.at, $lte: last.at },
              [member]: { $gte: last[member] + newer - offset },
            },
            1,
            options,
          );
          if (lowest === undefined || lowest.generation > last.generation) return { range, skip: offset };
          const above = newer + last[member] - lowest[member];
          return { range: { from: range.from, to: lowest.at }, skip: offset - above };
        },
      };
    },

    async extend(accountId, selection) {
      const of = source.countedAs(selection);
      const start = ids.firstOf(keptSince(clock.now()));
      const ofKind = { accountId, of };
      const known = await one(ofKind, -1);
      if ((await nextBoundary(accountId, selection, { from: known?.at ?? start })) === undefined)
        return false;
      return store.withTransaction(async (session) => {
        const { generation, changingFrom } = await changes.joinIn(session, accountId);
        const latest = await one(ofKind, -1, { session });
        const none = Object.fromEntries(members.map((member) => [member, 0]));
        // The type is right: `none` has a 0 for each declared member.
        let last = latest ?? ({ at: start, generation, ...none } as Checkpoint);
        const added = latest === undefined ? [last] : [];
        while (added.length < CHECKPOINTS_AT_ONCE) {
          const bound = { from: last.at, changingFrom };
          const to = await nextBoundary(accountId, selection, bound, { session });
          if (to === undefined) break;
          const range = { from: last.at, to };
          const more = await source.countMembers({ session }, accountId, selection, range);
          const sums = Object.fromEntries(members.map((member) => [member, last[member] + more[member]]));
          last = { at: to, generation, ...sums } as Checkpoint; // The type is right: `sums` has each declared member.
          added.push(last);
        }
        if (added.length > 0)
          await checkpoints.insertMany(
            // The driver's type of an insert does not accept the generic document.
            added.map((each) => ({ ...each, ...ofKind, createdAt: ids.timeOf(each.at) })) as never[],
            { session },
          );
        return added.length === CHECKPOINTS_AT_ONCE;
      });
    },

    changing: (rows, write) => changes.changing(rows, write),
  };
}

/** A count without checkpoints. */
function counted<Id>(rows: number, isLong: boolean, range: IdRange<Id>): RangeCount<Id> {
  return { rows, isLong, seek: (offset) => Promise.resolve({ range, skip: offset }) };
}
