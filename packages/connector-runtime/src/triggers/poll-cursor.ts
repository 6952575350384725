import { hash } from 'node:crypto';

/** The position of a poll. The next poll reads all items from `since` on; those in `known` have already fired. */
export interface PollCursor {
  /** ISO 8601; null: no item was ever seen, so every item is new. */
  readonly since: string | null;
  /** Keys of the items from `since` on (itemKey). */
  readonly known: readonly string[];
}

/** An item of a poll's list. */
export interface PolledItem {
  /** Identifies the item with its time (itemKey); at most 80 characters. */
  readonly key: string;
  readonly timeMs: number;
  /** The item as JSON. */
  readonly payload: string;
}

/** Number of items that cannot fire, because they are indistinguishable or too large. */
export interface PollGap {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

/** Maximum number of keys in a cursor. */
export const MAX_KNOWN_ITEMS = 1000;
const MAX_PLAIN_ID = 64;
/** A time further ahead of our clock than this was typed by a person; it is not the time of a change. */
const MAX_AHEAD_MS = 60 * 60 * 1000;

/** The key of an item at a time. An item fires once per time. */
export function itemKey(id: string, timeMs: number): string {
  return `${id.length <= MAX_PLAIN_ID ? id : hash('sha256', id, 'base64')}@${timeMs}`;
}

/**
 * The cursor after a poll that read the items `read`, which start at the old cursor and are in list order. `isWhole`:
 * the poll reached the end of the list. The new cursor never lies before the old one. It has at most MAX_KNOWN_ITEMS
 * keys; `since` moves forward if there would be more.
 */
export function advanced(
  cursor: PollCursor,
  read: readonly Omit<PolledItem, 'payload'>[],
  o: { readonly overlapMs: number; readonly now: Date; readonly isWhole: boolean },
): { readonly cursor: PollCursor; readonly gap: PollGap | undefined } {
  const last = Math.max(
    ...read.flatMap(({ timeMs }) => (timeMs <= o.now.getTime() + MAX_AHEAD_MS ? [timeMs] : [])),
  );
  // No item has a plausible time.
  if (!Number.isFinite(last)) return { cursor: keepOf(cursor.since, read), gap: undefined };
  const sinceMs = Math.max(cursor.since === null ? 0 : Date.parse(cursor.since), last - o.overlapMs);
  const kept = read.filter(({ timeMs }) => timeMs >= sinceMs).toSorted((a, b) => a.timeMs - b.timeMs);
  const excess = kept.length - MAX_KNOWN_ITEMS;
  const dropped = excess > 0 ? kept[excess - 1] : undefined;
  if (dropped === undefined) return { cursor: keepOf(iso(sinceMs), kept), gap: undefined };
  // Items with the same millisecond stay together.
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
