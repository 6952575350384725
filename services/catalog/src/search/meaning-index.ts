import { createLexicalIndex, hitsOf } from '@fairlead/lexical-index/lexical-index';
import type { CreateSearchIndex, SearchText } from '@fairlead/lexical-index/search-index';
import type { Embedder } from './embedder.ts';
import { intentOfName } from './intent.ts';
import type { Intent } from './intent.ts';
import { readQuery } from './read-query.ts';
import type { VectorStore } from './vector-store.ts';
import { createVectorTable } from './vector-table.ts';
import { meaningfulText } from './vectors.ts';
import { countWords } from './word-weights.ts';
import type { WordWeights } from './word-weights.ts';

/** Highest score of a hit that is not an exact match. */
const CEILING = 0.99;
/** Weight of the keywords in the score; the rest is the similarity. */
const SHARE_OF_WORDS = 0.7;
/** Factor for an item that reads, writes or removes while the query asks for another of these. */
const OTHER_INTENT = 0.85;
/** Similarity from which an item without any word of the query is a hit. Any two sentences are somewhat similar. */
const ALIKE = 0.55;

/** Search indexes of the platform's items, and of an account's own. */
interface MeaningIndexes {
  readonly ofPlatform: CreateSearchIndex;
  readonly ofAccounts: CreateSearchIndex;
}

/**
 * Creates indexes that find items by the words of a query, by their synonyms in the glossary, and by embeddings as far as these are
 * available. `platform` returns the texts of the platform's tools; their words are counted at the first search.
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
      let intents: readonly (Intent | undefined)[] | undefined;
      const table = createVectorTable({ texts, store, embedder: o.embedder });
      return {
        async search(query, accountId = '') {
          const weights = await (counted ??= countWords(o.platform()));
          const { english, terms, intent } = readQuery(query, weights);
          const [scores, vector] = await Promise.all([
            lexical.scores(query, terms),
            o.embedder.ofQuery(accountId, english),
            table.fill(ownerOf(accountId)),
          ]);
          const found = vector === undefined ? scores : merge(scores, await table.compare(vector));
          return hitsOf(
            items,
            agree(found, intent, (intents ??= items.map((item) => intentOfName(textOf(item).name)))),
          );
        },
      };
    };
  }

  return {
    ofPlatform: indexesWith(o.platformVectors, () => ''),
    ofAccounts: indexesWith(o.accountVectors, (accountId) => accountId),
  };
}

/** An exact match keeps its rank; an item without an embedding keeps its keyword score. */
function merge(words: Float64Array, likeness: Float64Array): Float64Array {
  return words.map((score, at) => {
    const alike = likeness[at] ?? Number.NaN;
    if (score === 1 || Number.isNaN(alike)) return score;
    if (score === 0 && alike < ALIKE) return 0;
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
