import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { Paging } from '@fairlead/connector-model/model';
import type { EgressResponse } from '@fairlead/egress/egress';
import { CallFailure } from '../failure.ts';
import { valueAt } from '../json-pointer.ts';
import { decodeBody } from './body.ts';
import type { ListPage } from './response.ts';
import type { QueryPair } from './query.ts';

const LINK = /<([^<>]*)>((?:\s*;\s*[\w*-]+\s*(?:=\s*(?:"[^"]*"|[^",;\s]*))?)*)/g;
const REL = /;\s*rel\s*=\s*(?:"([^"]*)"|([^",;\s]*))/i;

/** The window of a list that a caller requests. */
export interface Window {
  readonly top: number;
  readonly offset: number;
}

/** The request for one vendor page: extra query parameters and `page.*` values, or the vendor's URL for the next page. */
export interface PageRequest {
  readonly query: readonly QueryPair[];
  readonly values: JsonObject;
  readonly url?: URL;
}

/** The position of the next page, as the response states it. */
export interface NextPosition {
  /** The cursor at the recipe's pointer, or the last item's id. */
  readonly nextCursor: Json | undefined;
  /** The next URL in the body, or the Link header's `next`. */
  readonly nextUrl: URL | undefined;
  /** The value at the recipe's hasMorePointer. */
  readonly hasMore: Json | undefined;
}

export interface VendorPage extends ListPage, NextPosition {}

type FetchPage = (page: PageRequest) => Promise<VendorPage>;
type SequentialPaging = Extract<Paging, { readonly maxPages: number }>;

/** A vendor's paging recipe, except `handler`: such a handler pages by itself. */
export type HttpPaging = Exclude<Paging, { readonly type: 'handler' }>;

/** Reads a window of a list by the vendor's recipe. Throws CallFailure if the recipe cannot reach the window. */
export function readWindow(paging: HttpPaging, window: Window, fetchPage: FetchPage): Promise<ListPage> {
  return paging.type === 'offset' ? readByOffset(paging, window, fetchPage) : walk(paging, window, fetchPage);
}

/** The request for the first vendor page of a window. */
export function firstPage(paging: HttpPaging, window: Window): PageRequest {
  switch (paging.type) {
    case 'offset':
      return offsetPage(paging, Math.min(paging.maxTop, window.top), window.offset);
    case 'page': {
      const size = pageSizeOf(paging, window);
      return numberedPage(paging, size, (paging.firstPage ?? 1) + Math.floor(window.offset / size));
    }
    case 'cursor':
    case 'lastId':
    case 'nextUrl':
    case 'link':
      return sizedPage(paging, pageSizeOf(paging, window), {});
  }
}

/** The page size to request: at most the size of the window, if one page can hold it. */
function pageSizeOf({ type, pageSize }: SequentialPaging, { top, offset }: Window): number {
  // The offset of a numbered page is a multiple of the page size.
  if (type === 'page') return top <= pageSize && offset % top === 0 ? top : pageSize;
  return Math.min(pageSize, offset + top);
}

/** The position of the next page, as this response states it. */
export function nextPosition(
  paging: HttpPaging,
  items: readonly Json[],
  response: Pick<EgressResponse, 'headers' | 'body'>,
  url: URL,
): NextPosition {
  const none = { nextCursor: undefined, nextUrl: undefined, hasMore: undefined };
  let body: Json | undefined;
  const at = (pointer: string | undefined): Json | undefined =>
    pointer === undefined ? undefined : valueAt((body ??= decodeBody(response)), pointer);
  switch (paging.type) {
    case 'offset':
    case 'page':
      return none;
    case 'cursor': {
      const next = at(paging.nextCursorPointer);
      const parameter = paging.nextCursorParameter;
      const nextCursor = parameter === undefined ? next : parameterOf(next, parameter, url);
      return { ...none, nextCursor, hasMore: at(paging.hasMorePointer) };
    }
    case 'lastId': {
      const last = items.at(-1);
      return { ...none, nextCursor: valueAt(last, paging.idPointer), hasMore: at(paging.hasMorePointer) };
    }
    case 'nextUrl': {
      const address = at(paging.nextUrlPointer);
      const isText = typeof address === 'string' && address !== '';
      return { ...none, nextUrl: isText ? (URL.parse(address, url.href) ?? undefined) : undefined };
    }
    case 'link':
      return { ...none, nextUrl: nextLink(response.headers['link'], url) };
  }
}

/** A query parameter of an address, which may be relative to `url`. */
function parameterOf(address: Json | undefined, name: string, url: URL): string | undefined {
  const target = typeof address === 'string' ? URL.parse(address, url.href) : null;
  return target?.searchParams.get(name) ?? undefined;
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
async function walk(paging: SequentialPaging, window: Window, fetchPage: FetchPage): Promise<ListPage> {
  const items: Json[] = [];
  let request: PageRequest | undefined = firstPage(paging, window);
  // Numbered pages before the window are skipped without a request.
  let toSkip = paging.type === 'page' ? window.offset % pageSizeOf(paging, window) : window.offset;
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
  // A shorter result would look like the end of the list.
  throw new CallFailure(
    `The application returns this list in pages, and one call reads at most ${paging.maxPages} of them. ` +
      'Use a smaller offset, a smaller top or a filter.',
  );
}

/** The request for the page after `page`; undefined if there is none. */
export function nextPage(
  paging: SequentialPaging,
  last: PageRequest,
  page: VendorPage,
): PageRequest | undefined {
  const size = Number(last.values['top'] ?? paging.pageSize);
  switch (paging.type) {
    case 'page':
      if (page.items.length < size) return undefined;
      return numberedPage(paging, size, Number(last.values['number']) + 1);
    case 'cursor':
    case 'lastId': {
      const { nextCursor: cursor, hasMore } = page;
      // If the vendor does not say whether there are more items, only a full page can have a next page.
      const isLast = paging.type === 'lastId' && hasMore === undefined && page.items.length < size;
      if (hasMore === false || isLast) return undefined;
      if ((typeof cursor !== 'string' && typeof cursor !== 'number') || cursor === '') return undefined;
      const query: QueryPair[] = paging.cursorQuery === null ? [] : [[paging.cursorQuery, String(cursor)]];
      return sizedPage(paging, size, { cursor }, query);
    }
    case 'nextUrl':
    case 'link':
      // Sentry and Okta's log also name a next page after the last item.
      if (paging.type === 'link' && page.items.length === 0) return undefined;
      return page.nextUrl === undefined ? undefined : { query: [], values: { top: size }, url: page.nextUrl };
  }
}

/** The request for `top` items, starting at `offset`. */
export function offsetPage(
  paging: Extract<Paging, { readonly type: 'offset' }>,
  top: number,
  offset: number,
): PageRequest {
  const tops: QueryPair[] = paging.topQuery === null ? [] : [[paging.topQuery, String(top)]];
  const offsets: QueryPair[] = paging.offsetQuery === null ? [] : [[paging.offsetQuery, String(offset)]];
  return { query: [...tops, ...offsets], values: { top, offset } };
}

function numberedPage(
  paging: Extract<Paging, { readonly type: 'page' }>,
  size: number,
  number: number,
): PageRequest {
  const query: QueryPair[] = paging.pageQuery === null ? [] : [[paging.pageQuery, String(number)]];
  return sizedPage(paging, size, { number }, query);
}

function sizedPage(
  paging: Pick<SequentialPaging, 'sizeQuery'>,
  size: number,
  values: JsonObject,
  query: readonly QueryPair[] = [],
): PageRequest {
  const sizes: QueryPair[] = paging.sizeQuery === null ? [] : [[paging.sizeQuery, String(size)]];
  return { query: [...sizes, ...query], values: { ...values, top: size } };
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
