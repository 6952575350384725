import type { Json, JsonObject, Paging } from '@fairlead/connector-model/model';
import { CallFailure } from '../failure.ts';
import type { ListPage } from './response.ts';
import type { QueryPair } from './query.ts';

const LINK = /<([^<>]*)>((?:\s*;\s*[\w*-]+\s*(?:=\s*(?:"[^"]*"|[^",;\s]*))?)*)/g;
const REL = /;\s*rel\s*=\s*(?:"([^"]*)"|([^",;\s]*))/i;

/** The part of a list that a caller requests. */
export interface Window {
  readonly top: number;
  readonly offset: number;
}

/** The request for one vendor page: added query parameters and `page.*` values, or the URL that the vendor gave. */
export interface PageRequest {
  readonly query: readonly QueryPair[];
  readonly values: JsonObject;
  readonly url?: URL;
}

/** One vendor page, and the position of the next one. */
export interface VendorPage extends ListPage {
  /** The cursor at the recipe's pointer. */
  readonly nextCursor: Json | undefined;
  /** The Link header's `next`. */
  readonly nextUrl: URL | undefined;
}

type FetchPage = (page: PageRequest) => Promise<VendorPage>;
type WalkedPaging = Extract<Paging, { readonly maxPages: number }>;

/** A vendor's paging recipe; a handler implements the kind `handler` itself. */
export type HttpPaging = Exclude<Paging, { readonly type: 'handler' }>;

/** Reads the window of a list by the vendor's recipe. Throws CallFailure if the recipe cannot reach it. */
export function readWindow(paging: HttpPaging, window: Window, fetchPage: FetchPage): Promise<ListPage> {
  return paging.type === 'offset' ? readByOffset(paging, window, fetchPage) : walk(paging, window, fetchPage);
}

/** The request for the first vendor page of a window. */
export function firstPage(paging: HttpPaging, window: Window): PageRequest {
  switch (paging.type) {
    case 'offset':
      return offsetPage(paging, Math.min(paging.maxTop, window.top), window.offset);
    case 'page':
      return numberedPage(paging, 1 + Math.floor(window.offset / paging.pageSize));
    case 'cursor':
    case 'link':
      return sizedPage(paging, {});
  }
}

async function readByOffset(
  paging: Extract<Paging, { readonly type: 'offset' }>,
  window: Window,
  fetchPage: FetchPage,
): Promise<ListPage> {
  const items: Json[] = [];
  for (;;) {
    const size = Math.min(paging.maxTop, window.top - items.length);
    const page = await fetchPage(offsetPage(paging, size, window.offset + items.length));
    items.push(...page.items.slice(0, size));
    if (page.items.length < size || items.length >= window.top) return { items, totalCount: page.totalCount };
  }
}

/** Walks vendor pages until the window is full or the list ends. */
async function walk(paging: WalkedPaging, window: Window, fetchPage: FetchPage): Promise<ListPage> {
  const items: Json[] = [];
  let request: PageRequest | undefined = firstPage(paging, window);
  // Numbered pages before the window are not read at all.
  let toSkip = paging.type === 'page' ? window.offset % paging.pageSize : window.offset;
  let totalCount: number | undefined;
  for (let count = 0; count < paging.maxPages; count += 1) {
    const page: VendorPage = await fetchPage(request);
    totalCount ??= page.totalCount;
    items.push(...page.items.slice(toSkip, toSkip + window.top - items.length));
    toSkip = Math.max(0, toSkip - page.items.length);
    request = nextPage(paging, request, page);
    if (items.length >= window.top || request === undefined) {
      return { items, totalCount };
    }
  }
  // A short result would look like the end of the list.
  throw new CallFailure(
    `The application returns this list in pages, and one call reads at most ${paging.maxPages} of them. ` +
      'Use a smaller offset, a smaller top or a filter.',
  );
}

/** The request for the page after `page`; undefined if there is none. */
export function nextPage(paging: WalkedPaging, last: PageRequest, page: VendorPage): PageRequest | undefined {
  switch (paging.type) {
    case 'page':
      if (page.items.length < paging.pageSize) return undefined;
      return numberedPage(paging, Number(last.values['number']) + 1);
    case 'cursor': {
      const cursor = page.nextCursor;
      if ((typeof cursor !== 'string' && typeof cursor !== 'number') || cursor === '') return undefined;
      return sizedPage(paging, { cursor }, [[paging.cursorQuery, String(cursor)]]);
    }
    case 'link':
      return page.nextUrl === undefined ? undefined : { query: [], values: {}, url: page.nextUrl };
  }
}

/** The request for `top` items from `offset` on. */
export function offsetPage(
  paging: Extract<Paging, { readonly type: 'offset' }>,
  top: number,
  offset: number,
): PageRequest {
  return {
    query: [
      [paging.topQuery, String(top)],
      [paging.offsetQuery, String(offset)],
    ],
    values: { top, offset },
  };
}

function numberedPage(paging: Extract<Paging, { readonly type: 'page' }>, number: number): PageRequest {
  return sizedPage(paging, { number }, [[paging.pageQuery, String(number)]]);
}

function sizedPage(
  paging: { readonly sizeQuery: string | null; readonly pageSize: number },
  values: JsonObject,
  query: readonly QueryPair[] = [],
): PageRequest {
  const size: QueryPair[] = paging.sizeQuery === null ? [] : [[paging.sizeQuery, String(paging.pageSize)]];
  return { query: [...size, ...query], values: { ...values, top: paging.pageSize } };
}

/** The target of the link with relation `next` in a Link header (RFC 8288), resolved against `base`. */
export function nextLink(header: string | undefined, base: URL): URL | undefined {
  for (const [, target = '', parameters = ''] of (header ?? '').matchAll(LINK)) {
    const rel = REL.exec(parameters);
    const relations = (rel?.[1] ?? rel?.[2] ?? '').toLowerCase().split(/\s+/);
    if (relations.includes('next')) return URL.parse(target, base.href) ?? undefined;
  }
  return undefined;
}
