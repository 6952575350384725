import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CheckpointExtension } from '@fairlead/counts/checkpoint-extension';
import type { IdRange, RangeCount } from '@fairlead/counts/row-counts';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { Page } from '@fairlead/service-kit/page';
import type { EventSelection } from '../ports/event-store.ts';
import type { EventCounts } from './event-counts.ts';
import { exclusionsOf, stretchesOf } from './event-periods.ts';
import type { Stretch } from './event-periods.ts';
import { createEventRows, NEWEST_FIRST, OLDEST_FIRST } from './event-rows.ts';
import type { Rows } from './event-rows.ts';
import { partsOf, wheneverOf } from './event-selection.ts';
import type { CountedPart, EventPart } from './event-selection.ts';
import { pageOfStream } from './id-streams.ts';
import type { IdStream } from './id-streams.ts';

/** The ids of selected events of an account. */
export interface EventPages {
  /** One page, newest first. */
  page(
    ctx: RequestContext,
    accountId: string,
    selection: EventSelection,
    page: Page,
  ): Promise<readonly string[]>;
  count(ctx: RequestContext, accountId: string, selection: EventSelection): Promise<number>;
  /** All selected events, oldest first. */
  oldestFirst(ctx: RequestContext, accountId: string, selection: EventSelection): IdStream;
}

/** Pages up to this offset are read without searching for a checkpoint. */
const NEAR_OFFSET = 1_000;
/** Maximum number of search steps: halving 500 million rows down to the distance of two checkpoints. */
const MOST_LOOKS = 20;

/** A part of a selection within a range of ids. */
interface PartCount {
  readonly part: EventPart;
  readonly rows: number;
  /** The same, with rows that occurred outside of the period. */
  readonly all: RangeCount<string>;
}

/** Pages of events in MongoDB. Far pages begin at checkpoints; missing checkpoints are requested. `nearOffset` is for tests. */
export function createEventPages(o: {
  readonly store: Pick<MongoStore, 'collection'>;
  readonly counts: Pick<EventCounts, 'count'>;
  readonly extension: Pick<CheckpointExtension<CountedPart>, 'request'>;
  readonly nearOffset?: number | undefined;
}): EventPages {
  const { nearOffset = NEAR_OFFSET } = o;
  const rows = createEventRows(o.store);

  function idsAt(
    ctx: RequestContext,
    accountId: string,
    { selection, ...of }: Omit<Rows, 'parts'> & { readonly selection: EventSelection },
  ): IdStream {
    return rows.ids(ctx, accountId, { ...of, parts: partsOf(selection) });
  }

  async function countPart(
    ctx: RequestContext,
    accountId: string,
    { selection, part, range }: { selection: EventSelection; part: EventPart; range: IdRange<string> },
  ): Promise<PartCount> {
    const whenever = wheneverOf(part);
    const options = operationOptions(ctx);
    const [all, ...excluded] = await Promise.all([
      o.counts.count(options, accountId, whenever, range),
      ...exclusionsOf(selection, range).map(({ place, occurredAt }) =>
        rows.count(options, accountId, { ...whenever, occurredAt }, place),
      ),
    ]);
    if (all.isLong) o.extension.request(accountId, whenever);
    return { part, all, rows: all.rows - excluded.reduce((sum, each) => sum + each, 0) };
  }

  function countParts(
    ctx: RequestContext,
    accountId: string,
    selection: EventSelection,
    range: IdRange<string>,
  ): Promise<readonly PartCount[]> {
    return Promise.all(
      partsOf(selection).map((part) => countPart(ctx, accountId, { selection, part, range })),
    );
  }

  async function countStretch(
    ctx: RequestContext,
    accountId: string,
    selection: EventSelection,
    { place, isMain }: Stretch,
  ): Promise<number> {
    if (isMain && !('lagged' in place)) return sumOf(await countParts(ctx, accountId, selection, place));
    const counted = await Promise.all(
      partsOf(selection).map((part) => rows.count(operationOptions(ctx), accountId, part, place)),
    );
    return counted.reduce((sum, each) => sum + each, 0);
  }

  /** Where to begin reading for offset `offset`: at a checkpoint shortly before it, in the part with the most checkpoints. */
  async function seek(
    ctx: RequestContext,
    accountId: string,
    { selection, range }: { readonly selection: EventSelection; readonly range: IdRange<string> },
    offset: number,
  ): Promise<{ readonly range: IdRange<string>; readonly skip: number }> {
    const counted = await countParts(ctx, accountId, selection, range);
    const { all } = counted.reduce((most, each) => (each.all.rows > most.all.rows ? each : most));
    let found = { range, skip: offset };
    // Two positions in that part, with the number of selected rows above each; the offset is between them.
    let low = { at: 0, above: 0 };
    let high = { at: all.rows, above: sumOf(counted) };
    for (let looks = 1; looks <= MOST_LOOKS && low.at <= high.at; looks += 1) {
      // Parts are usually evenly mixed, so interpolate; every third step bisects in case they are not.
      const share = looks % 3 === 0 ? 0.5 : (offset - low.above) / Math.max(1, high.above - low.above);
      const at = Math.round(low.at + (high.at - low.at) * Math.min(1, share));
      const { range: rest, skip } = await all.seek(at);
      const above =
        rest.to === range.to
          ? 0
          : sumOf(await countParts(ctx, accountId, selection, { from: rest.to, to: range.to }));
      if (above > offset) high = { at: at - skip - 1, above };
      else {
        if (offset - above < found.skip) found = { range: rest, skip: offset - above };
        low = { at: at + 1, above };
      }
      if (found.skip <= nearOffset) break;
    }
    return found;
  }

  /** The ids of a stretch from `offset` on. */
  async function pageOf(
    ctx: RequestContext,
    accountId: string,
    selection: EventSelection,
    { place, isMain }: Stretch,
    { offset, top }: Page,
  ): Promise<readonly string[]> {
    const begin =
      isMain && !('lagged' in place) && offset > nearOffset
        ? await seek(ctx, accountId, { selection, range: place }, offset)
        : { range: place, skip: offset };
    const limit = begin.skip + top;
    const ids = idsAt(ctx, accountId, { selection, place: begin.range, order: NEWEST_FIRST, limit });
    return pageOfStream(ids, { offset: begin.skip, top });
  }

  return {
    async page(ctx, accountId, selection, { offset, top }) {
      const ids: string[] = [];
      let skip = offset;
      const stretches = stretchesOf(selection);
      for (const stretch of stretches) {
        if (ids.length === top) break;
        const isLast = stretch === stretches.at(-1);
        const count =
          skip === 0 || isLast ? Infinity : await countStretch(ctx, accountId, selection, stretch);
        if (skip >= count) {
          skip -= count;
          continue;
        }
        const page = { offset: skip, top: top - ids.length };
        ids.push(...(await pageOf(ctx, accountId, selection, stretch, page)));
        skip = 0;
      }
      return ids;
    },

    async count(ctx, accountId, selection) {
      const counted = await Promise.all(
        stretchesOf(selection).map((stretch) => countStretch(ctx, accountId, selection, stretch)),
      );
      return counted.reduce((sum, each) => sum + each, 0);
    },

    async *oldestFirst(ctx, accountId, selection) {
      for (const { place } of stretchesOf(selection).toReversed())
        yield* idsAt(ctx, accountId, { selection, place, order: OLDEST_FIRST });
    },
  };
}

function sumOf(counted: readonly PartCount[]): number {
  return counted.reduce((sum, { rows }) => sum + rows, 0);
}
