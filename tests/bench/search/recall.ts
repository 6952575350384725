import type { LabelledQuery } from './labelled-queries.ts';

const FIRST = 10;

/** Means over queries. */
export interface Recall {
  /** Share of the accepted tools among the first ten results (of at most ten). */
  readonly recall: number;
  /** Share of all accepted tools among the first ten results: at most 0.5 for a query with twenty. */
  readonly recallOfAll: number;
  /** Share of the queries with an accepted tool among the first ten results. */
  readonly answered: number;
}

/** Measures a search that returns slugs, best first. */
export async function measureRecall(
  queries: readonly LabelledQuery[],
  search: (query: string) => Promise<readonly string[]> | readonly string[],
): Promise<Recall> {
  let recall = 0;
  let recallOfAll = 0;
  let answered = 0;
  for (const { text, accepted } of queries) {
    const first = (await search(text)).slice(0, FIRST);
    const found = accepted.filter((slug) => first.includes(slug)).length;
    recall += found / Math.min(accepted.length, FIRST);
    recallOfAll += found / accepted.length;
    answered += found > 0 ? 1 : 0;
  }
  const count = queries.length;
  return { recall: recall / count, recallOfAll: recallOfAll / count, answered: answered / count };
}
