import { parsedMembers } from '@fairlead/connector-runtime/handler';
import type { Handler } from '@fairlead/connector-runtime/handler';
import { itemsPublished } from './items-published.ts';
import { readFeed } from './read-feed.ts';

const DEFAULT_TOP = 100;

const getFeed: Handler = async (call) => {
  const { head, items } = await readFeed(call);
  return { ...head, itemCount: items.length };
};

/** Items in feed order that were published after a time and contain a text. */
const listItems: Handler = async (call) => {
  const { items } = await readFeed(call);
  const { since, contains } = parsedMembers(call.fields);
  const sinceMs = typeof since === 'string' ? Date.parse(since) : -Infinity;
  const text = typeof contains === 'string' ? contains.toLowerCase() : '';
  const found = items
    .filter(({ timeMs }) => timeMs === undefined || timeMs >= sinceMs)
    .map(({ members }) => members)
    .filter(
      (item) =>
        text === '' ||
        JSON.stringify([item['title'], item['summary'], item['content']]).toLowerCase().includes(text),
    );
  const offset = call.offset ?? 0;
  return { items: found.slice(offset, offset + (call.top ?? DEFAULT_TOP)), totalCount: found.length };
};

/** The handlers that the manifest of `rss` names. */
export const handlers: Readonly<Record<string, Handler>> = { getFeed, listItems, itemsPublished };
