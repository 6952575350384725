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

const offsetPaging = z.strictObject({
  type: z.literal('offset').describe('The vendor accepts an offset and a size.'),
  topQuery: queryName.describe('Query parameter of the size.'),
  offsetQuery: queryName.describe('Query parameter of the offset.'),
  maxTop,
});

const cursorPaging = z.strictObject({
  type: z.literal('cursor').describe("The vendor's response names the next page."),
  sizeQuery: queryName.nullable().default(null).describe('Query parameter of the size; null: there is none.'),
  pageSize,
  cursorQuery: queryName.describe('Query parameter of the cursor.'),
  nextCursorPointer: jsonPointer.describe(
    'Position of the next cursor in the response; if there is none, the list ends.',
  ),
  maxPages,
});

const linkPaging = z.strictObject({
  type: z.literal('link').describe('The Link header of the response names the next page (RFC 8288).'),
  sizeQuery: queryName.nullable().default(null).describe('Query parameter of the size; null: there is none.'),
  pageSize,
  maxPages,
});

/** How a vendor pages a list. */
export const paging = z
  .discriminatedUnion('type', [
    offsetPaging,
    z.strictObject({
      type: z.literal('page').describe('The vendor accepts a page number, starting at 1.'),
      sizeQuery: queryName.describe('Query parameter of the size.'),
      pageQuery: queryName.describe('Query parameter of the page number.'),
      pageSize,
      maxPages,
    }),
    cursorPaging,
    linkPaging,
    z.strictObject({ type: z.literal('handler').describe('The handler receives top and offset.'), maxTop }),
  ])
  .describe('How the vendor pages, so that top and offset work.');

/** How a list is paged that is read to its end while it changes: with page numbers, an item that goes moves the others. */
export const safePaging = z
  .discriminatedUnion('type', [offsetPaging, cursorPaging, linkPaging])
  .describe('How the vendor pages this list. Page numbers are not accepted: items would be skipped.');
