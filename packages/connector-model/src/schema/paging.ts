import { z } from 'zod';
import { jsonPointer } from './request.ts';

const maxTop = z.int().min(1).max(10_000).default(100).describe('Largest page that the vendor returns.');
const pageSize = z.int().min(1).max(10_000).default(100).describe('Page size to request from the vendor.');
const maxPages = z
  .int()
  .min(1)
  .max(1000)
  .default(100)
  .describe('Maximum number of vendor pages to read in one call.');
const queryName = z.string().min(1).max(100);
const sizeQuery = queryName
  .nullable()
  .default(null)
  .describe('Query parameter of the size; null: there is none, or the request uses {{page.top}}.');
const hasMorePointer = jsonPointer
  .exactOptional()
  .describe('Position in the response of whether there are more pages; by default nowhere.');

const offsetPaging = z.strictObject({
  type: z.literal('offset').describe('The vendor accepts an offset and a size.'),
  topQuery: queryName
    .nullable()
    .default(null)
    .describe('Query parameter of the size; null: the request uses {{page.top}}, such as in its body.'),
  offsetQuery: queryName
    .nullable()
    .default(null)
    .describe('Query parameter of the offset; null: the request uses {{page.offset}}.'),
  maxTop,
});

const cursorPaging = z.strictObject({
  type: z.literal('cursor').describe("The vendor's response names the next page."),
  sizeQuery,
  pageSize,
  cursorQuery: queryName
    .nullable()
    .default(null)
    .describe('Query parameter of the cursor; null: the request uses {{page.cursor}}, such as in its body.'),
  nextCursorPointer: jsonPointer.describe(
    'Position of the next cursor in the response; if there is none, the list ends.',
  ),
  nextCursorParameter: queryName
    .exactOptional()
    .describe(
      'For a response with the address of the next page: the query parameter of that address that is the cursor.',
    ),
  hasMorePointer,
  maxPages,
});

const lastIdPaging = z.strictObject({
  type: z.literal('lastId').describe('The next page begins after the id of the last item.'),
  sizeQuery,
  pageSize,
  cursorQuery: queryName
    .nullable()
    .default(null)
    .describe('Query parameter of the last id; null: the request uses {{page.cursor}}.'),
  idPointer: jsonPointer.describe('Position of the id in an item.'),
  hasMorePointer,
  maxPages,
});

const nextUrlPaging = z.strictObject({
  type: z.literal('nextUrl').describe('The body of the response holds the address of the next page.'),
  sizeQuery,
  pageSize,
  nextUrlPointer: jsonPointer.describe(
    'Position of the address, absolute or relative; if there is none, the list ends.',
  ),
  maxPages,
});

const linkPaging = z.strictObject({
  type: z.literal('link').describe('The Link header of the response names the next page (RFC 8288).'),
  sizeQuery,
  pageSize,
  maxPages,
});

/** A vendor's paging of a list. */
export const paging = z
  .discriminatedUnion('type', [
    offsetPaging,
    z.strictObject({
      type: z.literal('page').describe('The vendor accepts a page number.'),
      sizeQuery,
      pageQuery: queryName
        .nullable()
        .default(null)
        .describe('Query parameter of the page number; null: the request uses {{page.number}}.'),
      firstPage: z
        .union([z.literal(0), z.literal(1)])
        .exactOptional()
        .describe('Number of the first page; by default 1.'),
      pageSize,
      maxPages,
    }),
    cursorPaging,
    lastIdPaging,
    nextUrlPaging,
    linkPaging,
    z.strictObject({ type: z.literal('handler').describe('The handler receives top and offset.'), maxTop }),
  ])
  .describe('How the vendor pages, so that top and offset work.');

/**
 * Pagings of a list that is read to its end while it changes. Page numbers are excluded: a deleted item would shift
 * the others.
 */
export const safePaging = z
  .discriminatedUnion('type', [offsetPaging, cursorPaging, lastIdPaging, nextUrlPaging, linkPaging])
  .describe('How the vendor pages this list. Page numbers are not accepted: items would be skipped.');
