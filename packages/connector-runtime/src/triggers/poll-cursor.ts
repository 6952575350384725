import { hash } from 'node:crypto';

/** Where a poll goes on: everything from `since` on is read again, and what is in `known` has fired. */
export interface PollCursor {
  /** ISO 8601; null: no item has been seen, so that everything is new. */
  readonly since: string | null;
  /** Keys of the items from `since` on (itemKey). */
  readonly known: readonly string[];
}

/** An item of a poll's list. */
export interface PolledItem {
  /** Names the item at this time; at most 80 characters. */
  readonly key: string;
  readonly timeMs: number;
  /** The item as JSON. */
  readonly payload: string;
}

/** Items that cannot be told apart any more, or that are too large: they do not fire. */
export interface PollGap {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

/** The most keys of a cursor. */
export const MAX_KNOWN_ITEMS = 1000;
const MAX_PLAIN_ID = 64;
/** A time this far ahead of our clock is a value that somebody typed, not the time of a change. */
const MAX_AHEAD_MS = 60 * 60 * 1000;

/** The key of an item at a time: an item fires once for each of its times. */
export function itemKey(id: string, timeMs: number): string {
  return `${id.length <= MAX_PLAIN_ID ? id : hash('sha256', id, 'base64')}@${timeMs}`;
}

/**
 * The cursor after a read of `read`, every item from the old cursor on in the order of the list. `isWhole`: the read went
 * to the end of the list. It never goes back, and holds at most MAX_KNOWN_ITEMS keys: rather than more, it starts later.
 */
export function advanced(
  cursor: PollCursor,
  read: readonly Omit<PolledItem, 'payload'>[],
  o: { readonly overlapMs: number; readonly now: Date; readonly isWhole: boolean },
): { readonly cursor: PollCursor; readonly gap: PollGap | undefined } {
  const last = Math.max(
    ...read.flatMap(({ timeMs }) => (timeMs <= o.now.getTime() + MAX_AHEAD_MS ? [timeMs] : [])),
  );
  // None of them has a credible time.
  if (!Number.isFinite(last)) return { cursor: keepOf(cursor.since, read), gap: undefined };
  const sinceMs = Math.max(cursor.since === null ? 0 : Date.parse(cursor.since), last - o.overlapMs);
  const kept = read.filter(({ timeMs }) => timeMs >= sinceMs).toSorted((a, b) => a.timeMs - b.timeMs);
  const excess = kept.length - MAX_KNOWN_ITEMS;
  const dropped = excess > 0 ? kept[excess - 1] : undefined;
  if (dropped === undefined) return { cursor: keepOf(iso(sinceMs), kept), gap: undefined };
  // Those of one millisecond stay together.
  const laterMs = dropped.timeMs + 1;
  const later = kept.filter(({ timeMs }) => timeMs >= laterMs);
  const isSkipping = later.length === 0 && !o.isWhole;
  return {
    cursor: keepOf(iso(laterMs), later),
    gap: isSkipping
      ? {
          from: iso(dropped.timeMs),
          to: iso(laterMs),
          reason: `More than ${MAX_KNOWN_ITEMS} items have the same time; some of them were not read.`,
        }
      : undefined,
  };
}

function keepOf(since: string | null, items: readonly { readonly key: string }[]): PollCursor {
  return { since, known: items.slice(-MAX_KNOWN_ITEMS).map(({ key }) => key) };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
