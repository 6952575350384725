import type { LabelledQuery } from './labelled-queries.ts';

const FIRST = 10;

/** Means over queries. */
export interface Recall {
  /** The share of the accepted tools that is among the first ten, of ten at most. */
  readonly recall: number;
  /** The share of the queries that have an accepted tool among the first ten. */
  readonly answered: number;
}

/** Measures a search that gives slugs, the best first. */
export async function measureRecall(
  queries: readonly LabelledQuery[],
  search: (query: string) => Promise<readonly string[]> | readonly string[],
): Promise<Recall> {
  let recall = 0;
  let answered = 0;
  for (const { text, accepted } of queries) {
    const first = (await search(text)).slice(0, FIRST);
    const found = accepted.filter((slug) => first.includes(slug)).length;
    recall += found / Math.min(accepted.length, FIRST);
    answered += found > 0 ? 1 : 0;
  }
  return { recall: recall / queries.length, answered: answered / queries.length };
}
