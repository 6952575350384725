import type { Clock } from '@fairlead/service-kit/clock';
import type { MongoStore, OperationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { ClientSession } from 'mongodb';
import { keptSince } from '../domain/execution.ts';
import { firstIdOf, timeOfId } from '../domain/history-id.ts';
import {
  executionCheckpointCollection,
  executionCountStateCollection,
} from './execution-checkpoint.collection.ts';
import type { ExecutionCheckpointDocument } from './execution-checkpoint.collection.ts';
import { selectRows } from './execution-selection.ts';
import type { IdRange, Selection } from './execution-selection.ts';
import { executionCollection } from './execution.collection.ts';
import type { ExecutionDocument } from './execution.collection.ts';

/** The rows between two checkpoints, and how many a count reads at each of its ends. */
const ROWS_PER_CHECKPOINT = 500;
/** Checkpoints that one transaction adds: far below the minute that it may take. */
const CHECKPOINTS_AT_ONCE = 20;
/** More tries than removals happen while a count reads. */
const READ_ATTEMPTS = 3;

/** A row is counted by checkpoints once it is this old. */
const CLOSED_AFTER_MS = 120_000;
/**
 * A row that is written when it is older than this removes the checkpoints after it. The difference is what the clocks of
 * two replicas may differ by (a call whose token they cannot agree on fails anyway, at 65 s), and a write may take.
 */
const LATE_AFTER_MS = 30_000;
/** MongoDB removes rows by its own clock: near the end of retention they are counted themselves. */
const RETENTION_MARGIN_MS = 600_000;

/** What the rows that are counted have in common. */
export type Counted = Pick<Selection, 'toolSlug' | 'connectionId'>;
/** What a row is counted by. */
export type CountedRow = Pick<ExecutionDocument, 'toolSlug' | 'connectionId'>;
type Checkpoint = Omit<ExecutionCheckpointDocument, 'accountId' | 'of' | 'createdAt'>;
type ReadOptions = Partial<OperationOptions>;

/** The number of rows in a range of ids, and where among them to begin to read. */
export interface RangeCount {
  readonly rows: number;
  /** Whether checkpoints that do not exist yet would have saved much of this count. */
  readonly isLong: boolean;
  /** The range of which the rows from `skip` on are those of the whole range from `offset` on, newest first. */
  readonly seek: (offset: number) => Promise<{ readonly range: IdRange; readonly skip: number }>;
}

/**
 * Counts rows of the history exactly, by the difference of two checkpoints and the rows beyond them (ADR 42). Checkpoints
 * are derived from rows, and may be removed at any time.
 */
export interface ExecutionCounts {
  count(options: ReadOptions, accountId: string, selection: Selection, range: IdRange): Promise<RangeCount>;
  /** Adds some of the checkpoints that rows of an account lack; true: more of them are lacking. */
  extend(accountId: string, counted: Counted): Promise<boolean>;
  /** Whether a row is so old that it may be counted already, so that it has to be written by `writeLate`. */
  isLate(historyId: number): boolean;
  /**
   * Writes a row in a transaction that also removes the checkpoints which may count it as it was. `write` returns what the
   * row is of; undefined: it wrote nothing.
   */
  writeLate(
    accountId: string,
    historyId: number,
    write: (session: ClientSession) => Promise<CountedRow | undefined>,
  ): Promise<void>;
}

/** The counts of the executions in a store. `rowsPerCheckpoint` is for tests. */
export function createExecutionCounts({
  store,
  clock,
  rowsPerCheckpoint = ROWS_PER_CHECKPOINT,
}: {
  readonly store: MongoStore;
  readonly clock: Clock;
  readonly rowsPerCheckpoint?: number;
}): ExecutionCounts {
  const executions = store.collection(executionCollection);
  const checkpoints = store.collection(executionCheckpointCollection);
  const states = store.collection(executionCountStateCollection);
  const projection = { _id: 0, at: 1, rows: 1, succeeded: 1, failed: 1, generation: 1 } as const;
  const hint = 'in_order';
  const before = (ms: number): number => firstIdOf(new Date(clock.now().getTime() - ms));

  /** The first and the last checkpoint of a range, if it has any. */
  async function outermost(
    options: ReadOptions,
    accountId: string,
    of: string,
    { from, to }: IdRange,
  ): Promise<{ readonly first: Checkpoint; readonly last: Checkpoint } | undefined> {
    const found = (direction: 1 | -1) =>
      checkpoints.findOne(
        { accountId, of, at: { $gte: from, $lte: to } },
        { ...options, projection, hint, sort: { at: direction } },
      );
    for (let attempt = 1; attempt <= READ_ATTEMPTS; attempt += 1) {
      const last = await found(-1);
      if (last === null) return undefined;
      const first = await found(1);
      // Otherwise the last one was removed meanwhile, and the first one may count what it did not.
      if (first !== null && first.generation <= last.generation) return { first, last };
    }
    return undefined;
  }

  async function countRows(
    options: ReadOptions & { readonly session?: ClientSession },
    accountId: string,
    selection: Selection,
    range: IdRange,
  ): Promise<number> {
    if (range.from >= range.to) return 0;
    const { query, hint: index } = selectRows(accountId, selection, range);
    return executions.countDocuments(query, { ...options, hint: index });
  }

  /** The id of the row that is `rowsPerCheckpoint` above an id; undefined: there are fewer that are closed. */
  async function nextBoundary(
    accountId: string,
    counted: Counted,
    from: number,
    session?: ClientSession,
  ): Promise<number | undefined> {
    const { query, hint: index } = selectRows(accountId, counted, { from, to: before(CLOSED_AFTER_MS) });
    const row = await executions
      .find(query, { projection: { _id: 1 }, hint: index, ...(session && { session }) })
      .sort({ _id: 1 })
      .skip(rowsPerCheckpoint)
      .limit(1)
      .next();
    return row?._id;
  }

  async function lastCheckpoint(
    accountId: string,
    of: string,
    session?: ClientSession,
  ): Promise<Checkpoint | null> {
    return checkpoints.findOne(
      { accountId, of },
      { projection, hint, sort: { at: -1 }, ...(session && { session }) },
    );
  }

  return {
    async count(options, accountId, selection, range) {
      const of = countedAs(selection);
      const kept = firstIdOf(new Date(keptSince(clock.now()).getTime() + RETENTION_MARGIN_MS));
      const between = await outermost(options, accountId, of, { ...range, from: Math.max(range.from, kept) });
      if (between === undefined) {
        const rows = await countRows(options, accountId, selection, range);
        return {
          rows,
          isLong: rows > 2 * rowsPerCheckpoint,
          seek: (offset) => Promise.resolve({ range, skip: offset }),
        };
      }
      const { first, last } = between;
      const member = memberOf(selection);
      const [older, newer] = await Promise.all([
        countRows(options, accountId, selection, { from: range.from, to: first.at }),
        countRows(options, accountId, selection, { from: last.at, to: range.to }),
      ]);
      return {
        rows: older + last[member] - first[member] + newer,
        isLong: newer > 2 * rowsPerCheckpoint,
        async seek(offset) {
          if (offset < newer) return { range, skip: offset };
          // The lowest checkpoint above which there are at most `offset` rows of the range.
          const lowest = await checkpoints.findOne(
            {
              accountId,
              of,
              at: { $gte: first.at, $lte: last.at },
              [member]: { $gte: last[member] + newer - offset },
            },
            { ...options, projection, hint, sort: { at: 1 } },
          );
          if (lowest === null || lowest.generation > last.generation) return { range, skip: offset };
          const above = newer + last[member] - lowest[member];
          return { range: { from: range.from, to: lowest.at }, skip: offset - above };
        },
      };
    },

    async extend(accountId, { toolSlug, connectionId }) {
      // Whatever else a caller's selection has, checkpoints count both outcomes.
      const counted = { toolSlug, connectionId };
      const of = countedAs(counted);
      const start = firstIdOf(keptSince(clock.now()));
      const known = await lastCheckpoint(accountId, of);
      if ((await nextBoundary(accountId, counted, known?.at ?? start)) === undefined) return false;
      return store.withTransaction(async (session) => {
        // Whoever else adds or removes checkpoints of the account meanwhile writes this, too, so one of the two runs again.
        const state = await states.findOneAndUpdate(
          { _id: accountId },
          { $inc: { additions: 1 }, $setOnInsert: { generation: 0 } },
          { upsert: true, returnDocument: 'after', session },
        );
        const generation = state?.generation ?? 0;
        const latest = await lastCheckpoint(accountId, of, session);
        let last: Checkpoint = latest ?? { at: start, rows: 0, succeeded: 0, failed: 0, generation };
        const added = latest === null ? [last] : [];
        while (added.length < CHECKPOINTS_AT_ONCE) {
          const to = await nextBoundary(accountId, counted, last.at, session);
          if (to === undefined) break;
          const successes = { ...counted, isSuccess: true };
          const succeeded = await countRows({ session }, accountId, successes, { from: last.at, to });
          last = {
            at: to,
            rows: last.rows + rowsPerCheckpoint,
            succeeded: last.succeeded + succeeded,
            failed: last.failed + rowsPerCheckpoint - succeeded,
            generation,
          };
          added.push(last);
        }
        if (added.length > 0)
          await checkpoints.insertMany(
            added.map((one) => ({ ...one, accountId, of, createdAt: timeOfId(one.at) })),
            { session },
          );
        return added.length === CHECKPOINTS_AT_ONCE;
      });
    },

    isLate: (historyId) => historyId < before(LATE_AFTER_MS),

    writeLate: (accountId, historyId, write) =>
      store.withTransaction(async (session) => {
        const row = await write(session);
        if (row === undefined) return;
        const { toolSlug, connectionId } = row;
        await states.updateOne(
          { _id: accountId },
          { $inc: { generation: 1 }, $setOnInsert: { additions: 0 } },
          { upsert: true, session },
        );
        // The row of a workflow has no connection, so no count of one holds it.
        const ofConnection = connectionId === null ? [] : [{ connectionId }, { toolSlug, connectionId }];
        const of = [{}, { toolSlug }, ...ofConnection].map(countedAs);
        await checkpoints.deleteMany({ accountId, of: { $in: of }, at: { $gt: historyId } }, { session });
      }),
  };
}

function countedAs({ toolSlug, connectionId }: Counted): string {
  return JSON.stringify([toolSlug ?? null, connectionId ?? null]);
}

function memberOf({ isSuccess }: Selection): 'rows' | 'succeeded' | 'failed' {
  if (isSuccess === undefined) return 'rows';
  return isSuccess ? 'succeeded' : 'failed';
}
