import { readFileSync } from 'node:fs';

/** The languages of the labelled queries. */
export const LANGUAGES = ['en', 'de', 'es', 'fr'] as const;
/** One of LANGUAGES. */
export type Language = (typeof LANGUAGES)[number];

/** A query of a person or an agent, and the slugs of the tools that answer it. */
export interface LabelledQuery {
  readonly text: string;
  readonly accepted: readonly string[];
}

/** Reads the labelled queries of a language: one per line, with the accepted slugs after a tab, separated by spaces. */
export function labelledQueries(language: Language): readonly LabelledQuery[] {
  const file = readFileSync(new URL(`queries/${language}.tsv`, import.meta.url), 'utf8');
  return file
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .map((line) => {
      const [text = '', slugs = ''] = line.split('\t');
      return { text, accepted: slugs.split(' ') };
    });
}
