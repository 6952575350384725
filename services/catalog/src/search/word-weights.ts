import { setImmediate as nextTurn } from 'node:timers/promises';
import { firstWords, normaliseWord } from '@fairlead/lexical-index/words';
import type { SearchText } from '@fairlead/lexical-index/search-index';

/** How distinctive each word is for a tool: the fewer tools have it, the higher its weight. */
export type WordWeights = (word: string) => number;

const TEXTS_A_TURN = 20;
const MAX_WORDS = 80;

/**
 * Counts words in the platform's texts. Accounts' own tools use the same weights, so that scores can be compared. A word in no text has
 * weight 0.
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
