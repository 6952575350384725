import type { LazyJson } from '@fairlead/service-kit/json/lazy-json';

/** Bytes per page; a page has at least one item. */
const MAX_ITEMS = 100;
const MAX_BYTES = 1024 * 1024;

/** One page of a list of prompts, resources or templates. */
export interface ItemPage {
  readonly items: readonly LazyJson[];
  /** Cursor of the next page; undefined: this is the last one. */
  readonly nextCursor: string | undefined;
}

/** The page at a cursor, or the first; undefined for an invalid cursor. A cursor stays valid when the list changes. */
export function itemPage(list: readonly LazyJson[], cursor: string | undefined): ItemPage | undefined {
  const start = cursor === undefined ? 0 : positionOf(cursor);
  if (start === undefined) return undefined;
  const items: LazyJson[] = [];
  let bytes = 0;
  for (const item of list.slice(start, start + MAX_ITEMS)) {
    bytes += item.bytes.length;
    if (items.length > 0 && bytes > MAX_BYTES) break;
    items.push(item);
  }
  const end = start + items.length;
  return {
    items,
    nextCursor: end < list.length ? Buffer.from(String(end)).toString('base64url') : undefined,
  };
}

function positionOf(cursor: string): number | undefined {
  const position = Buffer.from(cursor, 'base64url').toString();
  return /^[1-9]\d{0,6}$/.test(position) && Buffer.from(position).toString('base64url') === cursor
    ? Number(position)
    : undefined;
}
