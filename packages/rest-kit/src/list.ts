import { jsonBytes } from '@fairlead/service-kit/json/lazy-json';
import { MAX_TOP } from '@fairlead/service-kit/page';
import type { Page } from '@fairlead/service-kit/page';
import { z } from 'zod';
import { MAX_INT32 } from './fields.ts';

/** How a list pages. */
export interface PageRule {
  /** The default of `top`. */
  readonly defaultTop: number;
  /** `top` is clamped to 1 to MAX_TOP, and a negative `offset` is 0. Default: they are errors (rows completion.everywhere.7 and 8). */
  readonly clamps?: true;
}

/** `query` with the two parameters of every list. Out of range is an error unless the rule clamps. */
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

/** An integer of any size: only the text of one is read as a number (parameters.ts). */
const anyInteger = z
  .custom<number>((sent) => typeof sent === 'number', 'must be an integer')
  .meta({ type: 'integer' });

/** The page that a query parsed by pageQuery asks for. */
export function pageOf(query: unknown): Page {
  return pageSchema.parse(query);
}

const pageSchema = z.object({ offset: z.number(), top: z.number() });

/** The list envelope around items of `item`. */
export function listEnvelope(item: z.ZodType): z.ZodObject {
  return z.strictObject({
    items: z.array(item),
    totalCount: z.int().min(0).describe('Number of matching records across all pages.'),
    offset: z.int().min(0).describe('Zero-based index of the first item.'),
    top: z.int().min(1).describe('Maximum number of items requested.'),
  });
}

/** A list envelope. */
export interface ListAnswer {
  readonly items: readonly unknown[];
  readonly [member: string]: unknown;
}

/** The JSON text of a page, of which `more` are the items behind those that it holds, in parts. */
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
