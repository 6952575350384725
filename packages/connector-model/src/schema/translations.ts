import { z } from 'zod';

/** The languages of the hosted connect page besides English, in which manifests are written. */
export const TRANSLATION_LANGUAGES = ['de', 'es', 'fr', 'ja'] as const;

/** Translations of the texts of one object in a manifest. */
export function translationsOf<S extends z.ZodRawShape>(texts: S) {
  return z
    .partialRecord(z.enum(TRANSLATION_LANGUAGES), z.strictObject(texts))
    .default({})
    .describe('The texts in other languages than English: de, es, fr, ja.');
}
