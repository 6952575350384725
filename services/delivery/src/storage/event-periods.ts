import type { IdRange } from '@fairlead/counts/row-counts';
import { LAGS } from '../domain/lag.ts';
import type { EventSelection } from '../ports/event-store.ts';
import { END, firstEventId } from './event-selection.ts';
import type { Place } from './event-selection.ts';

/** Rows of all parts within a range of ids: all of them, or those with a lag of certain classes. */
export interface Stretch {
  readonly place: Place;
  /** True if nearly all rows of the range are selected, so that checkpoints can count them. */
  readonly isMain: boolean;
}

/** Rows of the range to be excluded, because they occurred outside of the period. */
export interface Exclusion {
  readonly place: Place;
  readonly occurredAt: { readonly $lt: Date } | { readonly $gte: Date };
}

/** Tolerance: ids contain the time of capture, and replicas' clocks differ a little; lag classes begin at a second. */
const NEAR_MS = 2_000;

/**
 * Finds the rows of a selection, newest first, without overlaps. Ids are in order of capture, so most rows of a period are between its two
 * ids. Others were captured after its end, or before its beginning if the source's clock was ahead.
 */
export function stretchesOf({ filter: { from, to }, since, after }: EventSelection): readonly Stretch[] {
  const whole = { from: firstEventId(since), to: after ?? END };
  if (from !== undefined && to !== undefined && from >= to) return [];
  const main = clip(
    { from: from === undefined ? '' : firstEventId(from), to: to === undefined ? END : firstEventId(to) },
    whole,
  );
  const { near: nearAfter, lagged: capturedLater } = lateOf(to, whole);
  const { near: nearBefore, lagged: capturedEarlier } = aheadOf(from, whole);
  const places = [capturedLater, nearAfter, main, nearBefore, capturedEarlier];
  return places.flatMap((place) => (place === undefined ? [] : [{ place, isMain: place === main }]));
}

/** Events with ids in `range` (within the period's ids) that occurred outside of the period. */
export function exclusionsOf(
  { filter: { from, to } }: EventSelection,
  range: IdRange<string>,
): readonly Exclusion[] {
  const of = ({ near, lagged }: Straddling, occurredAt: Exclusion['occurredAt']): Exclusion[] =>
    [near, lagged].flatMap((place) => (place === undefined ? [] : [{ place, occurredAt }]));
  return [
    ...(from === undefined ? [] : of(lateOf(from, range), { $lt: from })),
    ...(to === undefined ? [] : of(aheadOf(to, range), { $gte: to })),
  ];
}

/** Ranges of rows that were captured on one side of a time, but occurred on the other. */
interface Straddling {
  readonly near?: Place | undefined;
  readonly lagged?: Place | undefined;
}

/** Occurred before `time`, captured at `time` or later. */
function lateOf(time: Date | undefined, range: IdRange<string>): Straddling {
  if (time === undefined) return {};
  const at = (ms: number): string => firstEventId(new Date(time.getTime() + ms));
  const beyond = clip({ from: at(NEAR_MS), to: END }, range);
  return {
    near: clip({ from: at(0), to: at(NEAR_MS) }, range),
    lagged:
      beyond &&
      laggedIn(
        LAGS.map(({ lag, atMostMs }) => ({
          lag,
          range: clip(
            atMostMs === Infinity ? beyond : { from: at(NEAR_MS), to: at(atMostMs + NEAR_MS) },
            range,
          ),
        })),
      ),
  };
}

/** Occurred at `time` or later, captured before. */
function aheadOf(time: Date | undefined, range: IdRange<string>): Straddling {
  if (time === undefined) return {};
  const before = (ms: number): string => firstEventId(new Date(time.getTime() - ms));
  return {
    near: clip({ from: before(NEAR_MS), to: before(0) }, range),
    lagged: laggedIn(
      LAGS.map(({ lag, atMostMs }) => ({
        lag: -1 - lag,
        range: clip(
          { from: atMostMs === Infinity ? '' : before(atMostMs + NEAR_MS), to: before(NEAR_MS) },
          range,
        ),
      })),
    ),
  };
}

function laggedIn(
  found: readonly { readonly lag: number; readonly range: IdRange<string> | undefined }[],
): Place | undefined {
  const lagged = found.flatMap(({ lag, range }) => (range === undefined ? [] : [{ lag, range }]));
  return lagged.length === 0 ? undefined : { lagged };
}

/** The intersection of two ranges; undefined: empty. */
function clip(one: IdRange<string>, other: IdRange<string>): IdRange<string> | undefined {
  const from = one.from > other.from ? one.from : other.from;
  const to = one.to < other.to ? one.to : other.to;
  return from < to ? { from, to } : undefined;
}
