import { createLexicalIndex, hitsOf } from '@fairlead/lexical-index/lexical-index';
import type { CreateSearchIndex, SearchText } from '@fairlead/lexical-index/search-index';
import { intentOfName } from './intent.ts';
import type { Intent } from './intent.ts';
import { readQuery } from './read-query.ts';
import { createVectorTable } from './vector-table.ts';
import { meaningfulText } from './vectors.ts';
import { countWords } from './word-weights.ts';
import type { WordVectors } from './word-vectors.ts';
import type { WordWeights } from './word-weights.ts';

/** Highest score of a hit that is not an exact match. */
const CEILING = 0.99;
/** Weight of the keywords in the score; the rest is the similarity. */
const SHARE_OF_WORDS = 0.5;
/** Factor for an item that reads, writes or removes while the query asks for another of these. */
const OTHER_INTENT = 0.85;
/** Similarity from which an item without any word of the query is a hit. Any two sentences are somewhat similar. */
const ALIKE = 0.4;

/**
 * Creates search indexes that find items by the words of a query, by their synonyms in the glossary, and by the similarity of meanings.
 * `platform` returns the texts of the platform's tools; their words are counted at the first search.
 */
export function createMeaningIndex(o: {
  readonly platform: () => Iterable<SearchText>;
  readonly vectors: WordVectors;
}): CreateSearchIndex {
  let counted: Promise<WordWeights> | undefined;
  return (items, textOf) => {
    const lexical = createLexicalIndex(items, textOf);
    const table = createVectorTable(() => items.map((item) => meaningfulText(textOf(item))), o.vectors);
    let intents: readonly (Intent | undefined)[] | undefined;
    return {
      async search(query) {
        const { english, terms, intent } = readQuery(query, await (counted ??= countWords(o.platform())));
        const words = await lexical.scores(query, terms);
        const likeness = await table.compare(o.vectors.ofText(english));
        intents ??= items.map((item) => intentOfName(textOf(item).name));
        return hitsOf(items, agree(merge(words, likeness), intent, intents));
      },
    };
  };
}

/** An exact match keeps its rank. */
function merge(words: Float64Array, likeness: Float64Array): Float64Array {
  return words.map((score, at) => {
    const alike = likeness[at] ?? 0;
    if (score === 1 || (score === 0 && alike < ALIKE)) return score;
    return SHARE_OF_WORDS * score + (1 - SHARE_OF_WORDS) * CEILING * Math.min(Math.max(alike, 0), 1);
  });
}

/** Lowers the scores of items that do something else than the query asks for. */
function agree(
  scores: Float64Array,
  intent: Intent | undefined,
  intents: readonly (Intent | undefined)[],
): Float64Array {
  if (intent === undefined) return scores;
  return scores.map((score, at) => {
    const own = intents[at];
    return score === 1 || own === undefined || own === intent ? score : score * OTHER_INTENT;
  });
}
