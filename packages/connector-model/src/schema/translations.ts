import { z } from 'zod';

/** The languages that the hosted connect page has besides English, in which the texts themselves are. */
export const TRANSLATION_LANGUAGES = ['de', 'es', 'fr', 'ja'] as const;

/** The texts of one object of a manifest in other languages. */
export function translationsOf<S extends z.ZodRawShape>(texts: S) {
  return z
    .partialRecord(z.enum(TRANSLATION_LANGUAGES), z.strictObject(texts))
    .default({})
    .describe('The texts in other languages than English: de, es, fr, ja.');
}
