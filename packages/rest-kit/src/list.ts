import { jsonBytes } from '@fairlead/service-kit/json/lazy-json';
import { MAX_TOP } from '@fairlead/service-kit/page';
import type { Page } from '@fairlead/service-kit/page';
import { z } from 'zod';
import { MAX_INT32 } from './fields.ts';

/** How a list pages. */
export interface PageRule {
  /** The default of `top`. */
  readonly defaultTop: number;
}

/** `query` with the two parameters of every list. Out of range is an error, never clamped (completion.md "Everywhere"). */
export function pageQuery(query: z.ZodObject, rule: PageRule): z.ZodObject {
  return query.extend({
    offset: z.int32().min(0).max(MAX_INT32).default(0).describe('Zero-based index of the first item.'),
    top: z
      .int32()
      .min(1)
      .max(MAX_TOP)
      .default(rule.defaultTop)
      .describe('Maximum number of items in the page.'),
  });
}

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
