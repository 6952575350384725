import { createLexicalIndex, hitsOf } from '@fairlead/lexical-index/lexical-index';
import type { CreateSearchIndex, SearchText } from '@fairlead/lexical-index/search-index';
import type { Embedder } from './embedder.ts';
import { readQuery } from './read-query.ts';
import type { VectorStore } from './vector-store.ts';
import { createVectorTable } from './vector-table.ts';
import { meaningfulText } from './vectors.ts';
import { countWords } from './word-weights.ts';
import type { WordWeights } from './word-weights.ts';

/** The highest score of a hit that is not exact. */
const CEILING = 0.99;
/** How much the words count; the meaning has the rest. */
const SHARE_OF_WORDS = 0.7;
/** An item without a word of the query is a hit if it is as alike as this. Any two sentences are somewhat alike. */
const ALIKE = 0.55;

/** Indexes of the platform's items, and of an account's own. */
interface MeaningIndexes {
  readonly ofPlatform: CreateSearchIndex;
  readonly ofAccounts: CreateSearchIndex;
}

/**
 * Creates indexes that find items by the words of a query, by words of the glossary that mean the same, and by their meaning, as
 * far as the embedder knows it. `platform` has the texts of the platform's tools, whose words are counted at the first search.
 */
export function createMeaningIndexes(o: {
  readonly platform: () => Iterable<SearchText>;
  readonly embedder: Embedder;
  readonly platformVectors: VectorStore;
  readonly accountVectors: VectorStore;
}): MeaningIndexes {
  let counted: Promise<WordWeights> | undefined;

  function indexesWith(store: VectorStore, ownerOf: (accountId: string) => string): CreateSearchIndex {
    return (items, textOf) => {
      const lexical = createLexicalIndex(items, textOf);
      const texts = (): readonly string[] => items.map((item) => meaningfulText(textOf(item)));
      const table = createVectorTable({ texts, store, embedder: o.embedder });
      return {
        async search(query, accountId = '') {
          const weights = await (counted ??= countWords(o.platform()));
          const { english, terms } = readQuery(query, weights);
          const [scores, vector] = await Promise.all([
            lexical.scores(query, terms),
            o.embedder.ofQuery(accountId, english),
            table.fill(ownerOf(accountId)),
          ]);
          if (vector === undefined) return hitsOf(items, scores);
          return hitsOf(items, merge(scores, await table.compare(vector)));
        },
      };
    };
  }

  return {
    ofPlatform: indexesWith(o.platformVectors, () => ''),
    ofAccounts: indexesWith(o.accountVectors, (accountId) => accountId),
  };
}

/** An exact hit stays exact, and an item without a vector keeps the score of its words. */
function merge(words: Float64Array, likeness: Float64Array): Float64Array {
  return words.map((score, at) => {
    const alike = likeness[at] ?? Number.NaN;
    if (score === 1 || Number.isNaN(alike)) return score;
    if (score === 0 && alike < ALIKE) return 0;
    return SHARE_OF_WORDS * score + (1 - SHARE_OF_WORDS) * CEILING * Math.min(Math.max(alike, 0), 1);
  });
}
