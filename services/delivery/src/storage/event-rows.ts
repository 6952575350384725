import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CountOptions, IdRange } from '@fairlead/counts/row-counts';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { deliveryCollection } from './delivery.collection.ts';
import { conditionsOf, selectRows, selectThose } from './event-selection.ts';
import type { Condition, EventPart, Place, SelectedRows } from './event-selection.ts';
import { eventCollection } from './event.collection.ts';
import { mergeStreams } from './id-streams.ts';

/** The newest event first. */
export const NEWEST_FIRST = { direction: -1, precedes: (a: string, b: string) => a > b } as const;
/** The oldest event first. */
export const OLDEST_FIRST = { direction: 1, precedes: (a: string, b: string) => a < b } as const;
/** The order of ids in a list. */
export type Order = typeof NEWEST_FIRST | typeof OLDEST_FIRST;

/** Ids read and looked up at a time: enough to fill most pages at once. */
const [LEAST_AT_ONCE, MOST_AT_ONCE] = [128, 4_096];
/** One read fills a page if at least one in this many events of the first condition meets all others. */
const SHARE = 4;

/** Rows of several parts of a selection. */
export interface Rows {
  readonly parts: readonly EventPart[];
  readonly place: Place;
  readonly order: Order;
  /** Default: all. */
  readonly limit?: number;
}

/** Reads rows of an account by index keys only. */
export interface EventRows {
  /** The ids of their events, in order; there may be more beyond the limit. */
  ids(ctx: RequestContext, accountId: string, rows: Rows): AsyncGenerator<string>;
  /** The number of rows in a part; reads each of them. */
  count(options: CountOptions, accountId: string, part: EventPart, place: Place): Promise<number>;
}

/** Rows of events and their deliveries, in MongoDB. */
export function createEventRows(store: Pick<MongoStore, 'collection'>): EventRows {
  const events = store.collection(eventCollection);
  const deliveries = store.collection(deliveryCollection);

  function idsOf(
    { collection, query, hint }: SelectedRows,
    options: CountOptions,
    { direction, limit = 0 }: { readonly direction: 1 | -1; readonly limit?: number | undefined },
  ) {
    return collection === 'events'
      ? events
          .find(query, { ...options, hint, projection: { _id: 1 } })
          .sort({ _id: direction })
          .limit(limit)
          .map(({ _id }) => _id)
      : deliveries
          .find(query, { ...options, hint, projection: { _id: 0, eventId: 1 } })
          .sort({ eventId: direction })
          .limit(limit)
          .map(({ eventId }) => eventId);
  }

  /** The ids that meet all conditions. */
  async function those(
    options: CountOptions,
    accountId: string,
    ids: readonly string[],
    conditions: readonly Condition[],
  ): Promise<readonly string[]> {
    let left = ids;
    for (const condition of conditions) {
      const found = new Set<string>();
      for (const part of left.length === 0 ? [] : condition)
        for await (const id of idsOf(selectThose(accountId, part, left), options, { direction: -1 }))
          found.add(id);
      left = left.filter((id) => found.has(id));
    }
    return left;
  }

  /** The first ids of a range that meet a condition. */
  async function firstOf(
    options: CountOptions,
    accountId: string,
    condition: Condition,
    { range, order, limit }: { range: IdRange<string>; order: Order; limit: number },
  ): Promise<readonly string[]> {
    const ids: string[] = [];
    for (const part of condition) {
      const rows = selectRows(accountId, part, range);
      ids.push(...(await idsOf(rows, options, { direction: order.direction, limit }).toArray()));
    }
    if (condition.length > 1) ids.sort((a, b) => (order.precedes(a, b) ? -1 : 1));
    return ids.slice(0, limit);
  }

  /**
   * The ids that meet several conditions, in order. Reads some events of each condition in turn and looks up whether they meet the others,
   * until one condition is exhausted. So the cost is that of the condition with the fewest events.
   */
  async function* common(
    options: CountOptions,
    accountId: string,
    conditions: readonly Condition[],
    { range, order, limit = 0 }: { range: IdRange<string>; order: Order; limit?: number | undefined },
  ): AsyncGenerator<string> {
    const readings = conditions.map((own, at) => ({ own, others: conditions.toSpliced(at, 1), range }));
    let last: string | undefined;
    const first = limit === 0 ? MOST_AT_ONCE : SHARE * limit;
    for (let size = Math.max(LEAST_AT_ONCE, first); ; size *= 2) {
      size = Math.min(size, MOST_AT_ONCE);
      for (const reading of readings) {
        const ids = await firstOf(options, accountId, reading.own, { ...reading, order, limit: size });
        for (const id of await those(options, accountId, ids, reading.others)) {
          if (last !== undefined && !order.precedes(last, id)) continue;
          last = id;
          yield id;
        }
        const end = ids.at(-1);
        if (end === undefined || ids.length < size) return;
        // The smallest text greater than an id is the id plus one character.
        reading.range =
          order.direction === -1 ? { ...reading.range, to: end } : { ...reading.range, from: `${end}\0` };
      }
    }
  }

  /** Whether membership in a part can only be decided by reading the document, which includes its bytes. */
  const isUncovered = ({ from, destinationId }: EventPart): boolean =>
    from === 'several' && destinationId !== undefined;

  /** The ids of a part. The index lacks the destinations of events with several; a part that needs them looks them up. */
  async function* idsOfPart(options: CountOptions, accountId: string, part: EventPart, rows: Rows) {
    const { place, order, limit } = rows;
    if (!isUncovered(part)) {
      yield* idsOf(selectRows(accountId, part, place), options, { ...order, limit });
      return;
    }
    const { destinationId, ...rest } = part;
    const conditions = conditionsOf([{ from: 'ofDestination', destinationId }]);
    let some: string[] = [];
    for await (const id of idsOf(selectRows(accountId, rest, place), options, order)) {
      some.push(id);
      if (some.length < MOST_AT_ONCE) continue;
      yield* await those(options, accountId, some, conditions);
      some = [];
    }
    yield* await those(options, accountId, some, conditions);
  }

  function idsIn(options: CountOptions, accountId: string, rows: Rows): AsyncIterable<string> {
    const { parts, place, order, limit } = rows;
    const conditions = conditionsOf(parts);
    if (!('lagged' in place) && conditions.length > 1)
      return common(options, accountId, conditions, { range: place, order, limit });
    const [first, second] = parts.map((part) => idsOfPart(options, accountId, part, rows));
    if (first === undefined) throw new Error('A selection has no parts.');
    return second === undefined ? first : mergeStreams(first, second, order.precedes);
  }

  return {
    async *ids(ctx, accountId, rows) {
      yield* idsIn(operationOptions(ctx), accountId, rows);
    },

    async count(options, accountId, part, place) {
      if (isUncovered(part)) {
        let count = 0;
        for await (const _id of idsIn(options, accountId, { parts: [part], place, order: NEWEST_FIRST }))
          count += 1;
        return count;
      }
      const { collection, query, hint } = selectRows(accountId, part, place);
      return collection === 'events'
        ? events.countDocuments(query, { ...options, hint })
        : deliveries.countDocuments(query, { ...options, hint });
    },
  };
}
