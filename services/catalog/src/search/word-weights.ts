import { setImmediate as nextTurn } from 'node:timers/promises';
import { firstWords, normaliseWord } from '@fairlead/lexical-index/words';
import type { SearchText } from '@fairlead/lexical-index/search-index';

/** How much each word of the catalogue tells about a tool: less, the more tools have it. */
export type WordWeights = (word: string) => number;

const TEXTS_A_TURN = 20;
const MAX_WORDS = 80;

/**
 * Counts words in the platform's texts. Accounts' own tools are searched with the same weights, so that their scores can be
 * compared with the platform's. A word that no text has weighs 0.
 */
export async function countWords(texts: Iterable<SearchText>): Promise<WordWeights> {
  const counts = new Map<string, number>();
  let total = 0;
  for (const { name, slug, category, application, description } of texts) {
    total += 1;
    if (total % TEXTS_A_TURN === 0) await nextTurn();
    const words = firstWords([name, slug, category, application, description].join(' '), MAX_WORDS);
    for (const word of new Set(words.map(normaliseWord)))
      if (word !== null) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return (word) => {
    const count = counts.get(word) ?? 0;
    if (count === 0) return 0;
    return Math.log(1 + (total - count + 0.5) / (count + 0.5));
  };
}
