import { createLexicalIndex, hitsOf } from '@fairlead/lexical-index/lexical-index';
import type { CreateSearchIndex, SearchText } from '@fairlead/lexical-index/search-index';
import { readQuery } from './read-query.ts';
import { countWords } from './word-weights.ts';
import type { WordWeights } from './word-weights.ts';

/**
 * Creates indexes that find items by the words of a query and by words of the glossary that mean the same. `platform` has the
 * texts of the platform's catalogue, whose words are counted at the first search.
 */
export function createMeaningIndexes(platform: () => Iterable<SearchText>): CreateSearchIndex {
  let counted: Promise<WordWeights> | undefined;
  return (items, textOf) => {
    const lexical = createLexicalIndex(items, textOf);
    return {
      async search(query) {
        const weights = await (counted ??= countWords(platform()));
        return hitsOf(items, await lexical.scores(query, readQuery(query, weights).terms));
      },
    };
  };
}
