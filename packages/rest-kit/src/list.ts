import { jsonBytes, LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { MAX_TOP } from '@fairlead/service-kit/page';
import type { Page } from '@fairlead/service-kit/page';
import { z } from 'zod';
import { MAX_INT32 } from './fields.ts';

/** The rule for a list's paging. */
export interface PageRule {
  /** Default of `top`. */
  readonly defaultTop: number;
  /**
   * Whether out-of-range values are clamped: `top` to 1 to MAX_TOP, a negative `offset` to 0. Default: they are
   * errors (rows completion.everywhere.7 and 8).
   */
  readonly clamps?: true;
}

/** `query` with the two paging parameters of every list. Values out of range are errors, unless the rule clamps them. */
export function pageQuery(query: z.ZodObject, { defaultTop, clamps }: PageRule): z.ZodObject {
  return query.extend(clamps === true ? clampedPage(defaultTop) : strictPage(defaultTop));
}

function strictPage(defaultTop: number) {
  return {
    offset: z.int32().min(0).max(MAX_INT32).default(0).describe('Zero-based index of the first item.'),
    top: z.int32().min(1).max(MAX_TOP).default(defaultTop).describe('Maximum number of items in the page.'),
  };
}

function clampedPage(defaultTop: number) {
  return {
    offset: anyInteger
      .default(0)
      .transform((sent) => Math.max(sent, 0))
      .refine((offset) => offset <= MAX_INT32, `must be at most ${MAX_INT32}`)
      .meta({
        maximum: MAX_INT32,
        description: 'Zero-based index of the first item. A negative one is taken as 0.',
      }),
    top: anyInteger
      .default(defaultTop)
      .transform((sent) => Math.min(Math.max(sent, 1), MAX_TOP))
      .describe(`Maximum number of items in the page. Clamped to 1 to ${MAX_TOP}.`),
  };
}

/** Any integer; parameters.ts parses only integers as numbers. */
const anyInteger = z
  .custom<number>((sent) => typeof sent === 'number', 'must be an integer')
  .meta({ type: 'integer' });

/** The page in a query that pageQuery has parsed. */
export function pageOf(query: unknown): Page {
  return pageSchema.parse(query);
}

const pageSchema = z.object({ offset: z.number(), top: z.number() });

/** The schema of a list envelope around `item`. */
export function listEnvelope(item: z.ZodType): z.ZodObject {
  return z.strictObject({
    items: z.array(item),
    totalCount: z.int().min(0).describe('Number of matching records across all pages.'),
    offset: z.int().min(0).describe('Zero-based index of the first item.'),
    top: z.int().min(1).describe('Maximum number of items requested.'),
  });
}

/** The body to check: items that a service wrote as one text are passed on as they are. */
export function withoutLazyItems(body: unknown): unknown {
  const isLazy =
    typeof body === 'object' && body !== null && 'items' in body && body.items instanceof LazyJson;
  return isLazy ? { ...body, items: [] } : body;
}

/** A list envelope. */
export interface ListAnswer {
  readonly items: readonly unknown[];
  readonly [member: string]: unknown;
}

/** Serialises a page; `more` are the items after those in the page, in parts. */
export async function* pageText(
  { items, ...envelope }: ListAnswer,
  more: AsyncIterable<readonly unknown[]>,
): AsyncGenerator<string | Uint8Array> {
  yield '{"items":';
  yield jsonBytes(items).subarray(0, -1);
  for await (const part of more) {
    if (part.length === 0) continue;
    yield ',';
    yield jsonBytes(part).subarray(1, -1);
  }
  yield `],${JSON.stringify(envelope).slice(1)}`;
}
