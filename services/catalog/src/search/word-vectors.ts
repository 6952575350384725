import { readFile } from 'node:fs/promises';
import { firstWords } from '@fairlead/lexical-index/words';
import { z } from 'zod';
import { foldWord } from './concepts.ts';
import { toVector } from './vectors.ts';
import type { Vector } from './vectors.ts';

const FILE = new URL('word-vectors.bin', import.meta.url);
const MAX_WORDS = 60;
const headerSchema = z.object({
  dimensions: z.number().int().positive(),
  words: z.array(z.string()),
});

/** Vectors of English words: those of words with similar meanings are similar. */
export interface WordVectors {
  readonly dimensions: number;
  /** The vector of a text: the sum of those of its words. It is 0 for a text without a known word. */
  ofText(text: string): Vector;
}

/**
 * Reads the file of word vectors: a line of JSON with the number of dimensions and the words, and a vector for each word, a byte per
 * dimension. A word that is important for the meaning of a text has a long vector.
 */
export async function readWordVectors(): Promise<WordVectors> {
  const file = await readFile(FILE);
  const end = file.indexOf('\n');
  const { dimensions, words } = headerSchema.parse(JSON.parse(file.toString('utf8', 0, end)));
  const table = new Int8Array(file.subarray(end + 1));
  const places = new Map(words.map((word, at) => [word, at * dimensions]));
  return {
    dimensions,
    ofText(text) {
      const sum = new Float64Array(dimensions);
      for (const word of firstWords(text, MAX_WORDS)) {
        const folded = foldWord(word);
        const start = places.get(folded);
        if (start === undefined) continue;
        for (let at = 0; at < dimensions; at += 1) sum[at] = (sum[at] ?? 0) + (table[start + at] ?? 0);
      }
      return toVector(sum);
    },
  };
}
