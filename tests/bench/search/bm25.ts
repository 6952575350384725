const STOP_WORDS = new Set(
  'a all an and at by for from i in is it me my of on or some that the this to with'.split(' '),
);
/** The usual constants. */
const K1 = 1.2;
const B = 0.75;

/** The baseline: Okapi BM25 over whole texts; returns the indexes of matching texts, best first. */
export function createBm25(texts: readonly string[]): (query: string) => readonly number[] {
  const lists = texts.map(wordsOf);
  const average = lists.reduce((sum, words) => sum + words.length, 0) / lists.length;
  const frequencies = lists.map((words) => {
    const counts = new Map<string, number>();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    return counts;
  });
  const documents = new Map<string, number>();
  for (const counts of frequencies)
    for (const word of counts.keys()) documents.set(word, (documents.get(word) ?? 0) + 1);

  return (query) => {
    const scores = frequencies.map((counts, at) => {
      let score = 0;
      for (const word of new Set(wordsOf(query))) {
        const count = counts.get(word) ?? 0;
        const having = documents.get(word) ?? 0;
        const rarity = Math.log(1 + (texts.length - having + 0.5) / (having + 0.5));
        const length = (lists[at]?.length ?? 0) / average;
        score += (rarity * count * (K1 + 1)) / (count + K1 * (1 - B + B * length));
      }
      return { at, score };
    });
    return scores
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score)
      .map(({ at }) => at);
  };
}

function wordsOf(text: string): readonly string[] {
  return [...text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)]
    .map(([word]) => word)
    .filter((word) => !STOP_WORDS.has(word))
    .map((word) => (word.length > 3 && /[^s]s$/.test(word) ? word.slice(0, -1) : word));
}
