import { parseFeed } from 'feedsmith';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { HandlerError } from '@fairlead/connector-runtime/handler';
import type { HandlerCall } from '@fairlead/connector-runtime/handler';
import { requireSuccess } from '@fairlead/connector-runtime/http/response';
import { requestTarget } from '@fairlead/connector-runtime/http/target';
import { isArray, isObject, textOf } from '@fairlead/connector-runtime/templates';

/** Maximum size of a feed; real feeds are far smaller. */
const MAX_FEED_BYTES = 10 * 1024 * 1024;
const ACCEPT =
  'application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5';

/** A feed and its items, from any format: RSS, Atom, RDF or JSON Feed. */
export interface Feed {
  readonly head: JsonObject;
  /** In the order of the feed, usually newest first. */
  readonly items: readonly FeedItem[];
}

/** An item, with members that have different names in different formats. */
export interface FeedItem {
  readonly id: string;
  /** Time of publication, else of the last change; undefined if the feed has neither. */
  readonly timeMs: number | undefined;
  readonly members: JsonObject;
}

/** Reads the feed at the call's address. Throws HandlerError if there is no feed. */
export async function readFeed(call: HandlerCall): Promise<Feed> {
  const url = requestTarget(textOf(addressOf(call.fields['url'])), undefined);
  await call.beforeSend?.(false);
  const response = await call.egress.request({
    method: 'GET',
    url: url.href,
    headers: { accept: ACCEPT },
    redirect: 'follow',
    signal: call.signal,
    maxResponseBytes: MAX_FEED_BYTES,
    destination: call.accountId,
  });
  requireSuccess(call.connector, response);
  return feedOf(new TextDecoder().decode(response.body), new URL(response.url));
}

/** Parses a feed; addresses in it are relative to `base`. */
function feedOf(text: string, base: URL): Feed {
  const { format, feed } = parsed(text);
  const entries = listOf(feed['items'] ?? feed['entries']);
  return {
    head: {
      title: first(feed['title']),
      description: first(feed['description'], feed['subtitle']),
      link: address(base, first(feed['link'], feed['home_page_url'], alternateOf(feed['links']))),
      language: first(feed['language']),
      updated: timeText(first(feed['lastBuildDate'], feed['updated'], feed['pubDate'])),
      format,
    },
    items: entries.map((entry) => itemOf(entry, base)),
  };
}

function parsed(text: string): { readonly format: string; readonly feed: JsonObject } {
  try {
    const { format, feed } = parseFeed(text);
    // The parser returns plain objects; their types have no index signature.
    return { format, feed: JSON.parse(JSON.stringify(feed)) as JsonObject };
  } catch (error) {
    throw new HandlerError('The address holds no feed: neither RSS, Atom, RDF nor JSON Feed.', {
      cause: error,
    });
  }
}

function itemOf(entry: JsonObject, base: URL): FeedItem {
  const dc = isObject(entry['dc']) ? entry['dc'] : {};
  const link = address(
    base,
    first(entry['link'], entry['url'], entry['external_url'], alternateOf(entry['links'])),
  );
  const title = first(entry['title']);
  const published = timeOf(first(entry['pubDate'], entry['published'], entry['date_published'], dc['dates']));
  const updated = timeOf(first(entry['updated'], entry['date_modified']));
  const id =
    first(entry['guid'], entry['id'], entry['rdf']) ?? link ?? `${title ?? ''} ${String(published ?? '')}`;
  const content = isObject(entry['content']) ? (entry['content']['encoded'] ?? entry['content']) : undefined;
  return {
    id,
    timeMs: published ?? updated,
    members: {
      id,
      title,
      link,
      published: isoOf(published),
      updated: isoOf(updated),
      authors: namesOf(entry['authors'] ?? dc['creators']),
      categories: namesOf(entry['categories'] ?? entry['tags']),
      summary: first(entry['summary'], entry['description']),
      content: first(content, entry['content_html'], entry['content_text']),
      files: listOf(entry['enclosures'] ?? entry['attachments']),
    },
  };
}

/** The first value that is a text, or contains one. */
function first(...values: readonly (Json | undefined)[]): string | null {
  for (const value of values) {
    const [of] = value !== undefined && isArray(value) ? value : [value];
    const text = isObject(of) ? (of['value'] ?? of['about'] ?? of['name']) : of;
    if (typeof text === 'string' && text.trim() !== '') return text.trim();
  }
  return null;
}

/** The address of an Atom link to the page itself. */
function alternateOf(links: Json | undefined): Json {
  const link = listOf(links).find(({ rel }) => rel === undefined || rel === 'alternate');
  return link?.['href'] ?? null;
}

function address(base: URL, text: string | null): string | null {
  return text === null ? null : (URL.parse(text, base.href)?.href ?? text);
}

function namesOf(values: Json | undefined): readonly string[] {
  const names = values !== undefined && isArray(values) ? values : [];
  return names.flatMap((value) => {
    const text = isObject(value) ? first(value['name'], value['term'], value['value']) : first(value);
    return text === null ? [] : [text];
  });
}

function listOf(value: Json | undefined): readonly JsonObject[] {
  return value !== undefined && isArray(value) ? value.filter(isObject) : [];
}

function timeOf(text: string | null): number | undefined {
  const time = text === null ? NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

function isoOf(timeMs: number | undefined): string | null {
  return timeMs === undefined ? null : new Date(timeMs).toISOString();
}

function timeText(text: string | null): string | null {
  return isoOf(timeOf(text));
}

function addressOf(value: unknown): Json {
  return typeof value === 'string' ? value : '';
}
