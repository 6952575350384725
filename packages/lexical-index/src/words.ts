/** Words without meaning for a search. */
const STOP_WORDS = new Set(
  'a all an and at by for from i in is it me my of on or some that the this to with'.split(' '),
);
const MAX_WORD_LENGTH = 32;

/** The first `count` words of a text, unchanged. The rest of the text is not read. */
export function firstWords(text: string, count: number): string[] {
  const words: string[] = [];
  for (const [word] of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    if (words.push(word) >= count) break;
  }
  return words;
}

/** A word in the form in which words are compared: lower case, without a plural s, of limited length; null for a word without meaning. */
export function normaliseWord(word: string): string | null {
  const lower = word.slice(0, MAX_WORD_LENGTH).toLowerCase();
  if (lower === '' || STOP_WORDS.has(lower)) return null;
  return lower.length > 3 && /[^s]s$/.test(lower) ? lower.slice(0, -1) : lower;
}
