import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CreateSearchIndex, SearchText } from './search-index.ts';
import { createVocabulary } from './vocabulary.ts';

/** The weight of a match in a field: how strongly it indicates that the item is the one searched for. */
const FIELD_WEIGHTS = { name: 0.9, slug: 0.8, category: 0.5, application: 0.5, description: 0.4 } as const;
const FIELDS = [
  'name',
  'slug',
  'category',
  'application',
  'description',
] as const satisfies (keyof SearchText)[];
const WEIGHTS = FIELDS.map((field) => FIELD_WEIGHTS[field]);

/** Words that say nothing about the item searched for. */
const STOP_WORDS = new Set(
  [
    'a',
    'all',
    'an',
    'and',
    'at',
    'by',
    'for',
    'from',
    'i',
    'in',
    'is',
    'it',
    'me',
    'my',
    'of',
    'on',
    'or',
  ].concat(['some', 'that', 'the', 'this', 'to', 'with']),
);

/** Further words of a query are ignored. */
const MAX_QUERY_WORDS = 16;
/** Further words of a field are not found, nor are the further characters of a word. */
const MAX_FIELD_WORDS = { name: 16, slug: 16, category: 8, application: 8, description: 40 } as const;
const MAX_WORD_LENGTH = 32;
/**
 * Looking for a word takes long in an index with more words than this: other calls are served in between, and words with
 * two typing errors are not found.
 */
const MAX_WORDS_IN_ONE_TURN = 2_000;
/** Items that are indexed without serving other calls meanwhile. */
const ITEMS_A_TURN = 20;

/** The highest score of a hit that is not exact. */
const CEILING = 0.99;
/**
 * Places of words that one search reads, at most; the rest of its words find nothing then. Each costs some
 * nanoseconds, and the catalogue of the platform has far fewer for any real search.
 */
const MAX_PLACES = 100_000;

/**
 * Finds items by their words: exact, by prefix and with typing errors. The score says how much of the query an item
 * covers and where. Unlike BM25, it does not depend on the other items of the index, so hits of several indexes can be
 * merged. It is built with the first search. Both let other calls run in between, because an account's own applications may
 * be as large as the catalogue accepts, and what one search costs is bounded whatever its words are.
 */
export const createLexicalIndex: CreateSearchIndex = (items, textOf) => {
  const texts = items.map(textOf);
  const vocabulary = createVocabulary();
  /** By number of a term: where it occurs, `item * FIELDS.length + field`. */
  const places: number[][] = [];
  /** The items with a slug or name, whole. */
  const exact = new Map<string, number[]>();
  let built: Promise<void> | undefined;

  async function build(): Promise<void> {
    for (const [id, text] of texts.entries()) {
      if (id % ITEMS_A_TURN === ITEMS_A_TURN - 1) await nextTurn();
      for (const whole of new Set([fold(text.slug), fold(text.name)])) {
        const same = exact.get(whole);
        if (same === undefined) exact.set(whole, [id]);
        else same.push(id);
      }
      FIELDS.forEach((field, position) => {
        const found = new Set(
          firstWords(text[field], MAX_FIELD_WORDS[field]).flatMap((word) => normalise(word) ?? []),
        );
        for (const word of found) (places[vocabulary.add(word)] ??= []).push(id * FIELDS.length + position);
      });
    }
  }

  /** How well each item and field matches a word, from 0 to 1; returns the places that were read. */
  function match(word: string, best: Float64Array, limit: number): number {
    let read = 0;
    vocabulary.expand(word, (term, quality) => {
      const of = places[term] ?? [];
      read += of.length;
      if (read > limit) return false;
      for (const place of of) if (quality > (best[place] ?? 0)) best[place] = quality;
      return true;
    });
    return read;
  }

  return {
    async search(query) {
      await (built ??= build());
      const words = wordsOf(query);
      const scores = new Float64Array(texts.length);
      let left = MAX_PLACES;
      for (const word of words) {
        if (vocabulary.size > MAX_WORDS_IN_ONE_TURN) await nextTurn();
        const best = new Float64Array(texts.length * FIELDS.length);
        left -= match(word, best, left);
        for (let id = 0; id < scores.length; id += 1)
          scores[id] = (scores[id] ?? 0) + (CEILING * certainty(best, id * FIELDS.length)) / words.length;
        if (left <= 0) break;
      }
      for (const id of exact.get(fold(query)) ?? []) scores[id] = 1;
      return items.flatMap((item, id) => {
        const score = scores[id] ?? 0;
        return score === 0 ? [] : [{ item, score }];
      });
    },
  };
};

/**
 * How well an item matches a word, from 0 to 1, by its fields' matches from `start` on. Half of it is for the word occurring at all, so
 * that an item with all words of a query in its description comes before one with some of them in its name. The other
 * half is for the fields: matches in several fields add up, each covering its share of what the others left.
 */
function certainty(best: Float64Array, start: number): number {
  let most = 0;
  let doubt = 1;
  for (let position = 0; position < FIELDS.length; position += 1) {
    const quality = best[start + position] ?? 0;
    if (quality > most) most = quality;
    doubt *= 1 - (WEIGHTS[position] ?? 0) * quality;
  }
  return (most + 1 - doubt) / 2;
}

function wordsOf(query: string): readonly string[] {
  const words = firstWords(query, Number.POSITIVE_INFINITY).flatMap((word) => normalise(word) ?? []);
  return [...new Set(words)].slice(0, MAX_QUERY_WORDS);
}

/** The first words of a text, which is read no further. */
function firstWords(text: string, count: number): string[] {
  const words: string[] = [];
  for (const [word] of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    if (words.push(word) >= count) break;
  }
  return words;
}

/** Lower case, without a plural s; null for words that say nothing. */
function normalise(word: string): string | null {
  const lower = word.slice(0, MAX_WORD_LENGTH).toLowerCase();
  if (lower === '' || STOP_WORDS.has(lower)) return null;
  return lower.length > 3 && /[^s]s$/.test(lower) ? lower.slice(0, -1) : lower;
}

function fold(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').toLowerCase();
}
