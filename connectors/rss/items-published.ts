import { hash } from 'node:crypto';
import type { Json } from '@fairlead/connector-model/json';
import { parsedMembers } from '@fairlead/connector-runtime/handler';
import type { Handler } from '@fairlead/connector-runtime/handler';
import { isArray, isObject } from '@fairlead/connector-runtime/templates';
import { readFeed } from './read-feed.ts';
import type { FeedItem } from './read-feed.ts';

/** Maximum number of keys in a cursor, and of examined items of a feed. */
const MAX_KNOWN = 1000;
const MAX_NEW = 200;
const MAX_NEW_BYTES = 1024 * 1024;

/**
 * The items that are new in the feed, oldest first. Without a cursor: no items, and a cursor for the present. Items are identified by their
 * ids, because many feeds have no times. An item that leaves the feed and returns is not new, as long as the cursor has its key.
 */
export const itemsPublished: Handler = async (call) => {
  const { items } = await readFeed(call);
  const current = items.slice(0, MAX_KNOWN);
  const fields = parsedMembers(call.fields);
  const before = knownOf(fields['cursor']);
  if (before === undefined) return { cursor: { since: null, known: current.map(keyOf) } };
  const now = typeof fields['now'] === 'string' ? Date.parse(fields['now']) : Date.now();
  const known = new Set(before);
  const fresh = current.filter((item) => !known.has(keyOf(item))).toReversed();
  const found: { readonly key: string; readonly timeMs: number; readonly payload: string }[] = [];
  let bytes = 0;
  for (const item of fresh.slice(0, MAX_NEW)) {
    const payload = JSON.stringify(item.members);
    bytes += Buffer.byteLength(payload);
    if (found.length > 0 && bytes > MAX_NEW_BYTES) break;
    found.push({ key: keyOf(item), timeMs: item.timeMs ?? now, payload });
  }
  const remembered = [...found.map(({ key }) => key).toReversed(), ...before];
  return {
    items: found,
    cursor: { since: null, known: [...new Set(remembered)].slice(0, MAX_KNOWN) },
    hasMore: found.length < fresh.length,
    gaps: [],
  };
};

/** A key of fixed length, whatever the length of the id. */
function keyOf({ id }: FeedItem): string {
  return hash('sha256', id, 'base64url');
}

function knownOf(cursor: Json | undefined): readonly string[] | undefined {
  if (!isObject(cursor)) return undefined;
  const { known } = cursor;
  return known !== undefined && isArray(known) ? known.filter((key) => typeof key === 'string') : [];
}
