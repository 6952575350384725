import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Hit, SearchIndex, SearchTerm, SearchText } from './search-index.ts';
import { createVocabulary } from './vocabulary.ts';
import { firstWords, normaliseWord } from './words.ts';

/** The weight of a match in a field: how strongly it indicates that the user means the item. */
const FIELD_WEIGHTS = { name: 0.9, slug: 0.8, category: 0.5, application: 0.5, description: 0.4 } as const;
const FIELDS = [
  'name',
  'slug',
  'category',
  'application',
  'description',
] as const satisfies (keyof SearchText)[];
/** Index of the name in FIELDS. */
const NAME = 0;
/** Share of a score that an item gets only if each word of its name is in the query: 'Create invoice' before 'Create invoice reminder'. */
const SHARE_OF_NAME = 0.2;
const WEIGHTS = FIELDS.map((field) => FIELD_WEIGHTS[field]);

/** Maximum number of a query's words or terms; further ones are ignored. */
const MAX_QUERY_WORDS = 16;
/** Maximum number of indexed words per field; further words are not found. */
const MAX_FIELD_WORDS = { name: 16, slug: 16, category: 8, application: 8, description: 40 } as const;
/**
 * Number of words above which looking up a word takes long. In such an index, other calls are served between two words, and words with two
 * typing errors are not found.
 */
const MAX_WORDS_IN_ONE_TURN = 2_000;
/** Number of items that are indexed before other calls are served. */
const ITEMS_A_TURN = 20;

/** The highest score of a hit that is not exact. */
const CEILING = 0.99;
/**
 * Maximum number of occurrences that one search reads; after that, its remaining words match nothing. An occurrence takes some nanoseconds,
 * and real searches of the platform's catalogue read far fewer.
 */
const MAX_PLACES = 400_000;

/** A search index that also says how well each of its items matches. */
export interface LexicalIndex<T> extends SearchIndex<T> {
  /** The score of every item, by its position in the list; 0: no match. `terms` are the query's terms; default: its words. */
  scores(query: string, terms?: readonly SearchTerm[]): Promise<Float64Array>;
}

/**
 * Finds items by their words: exact, by prefix and with typing errors. The score says how much of the query an item covers and in which
 * fields. Unlike BM25, it does not depend on the other items of the index, so hits of several indexes can be merged. The first search
 * builds the index. Both building and searching let other calls run in between, because an account's own applications may be as large as
 * the catalogue accepts. The cost of a search is bounded, whatever its words are.
 */
export function createLexicalIndex<T>(items: readonly T[], textOf: (item: T) => SearchText): LexicalIndex<T> {
  const texts = items.map(textOf);
  const vocabulary = createVocabulary();
  /** By number of a term: its occurrences, as `item * FIELDS.length + field`. */
  const places: number[][] = [];
  /** Items by their complete slug or name. */
  const exact = new Map<string, number[]>();
  /** Number of words in each item's name. */
  const nameWords = new Float64Array(texts.length);
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
          firstWords(text[field], MAX_FIELD_WORDS[field]).flatMap((word) => normaliseWord(word) ?? []),
        );
        if (position === NAME) nameWords[id] = found.size;
        for (const word of found) (places[vocabulary.add(word)] ??= []).push(id * FIELDS.length + position);
      });
    }
  }

  /** Writes to `best` how well each field of each item matches a term, from 0 to 1. Returns the number of occurrences that were read. */
  function match({ words }: SearchTerm, best: Float64Array, limit: number): number {
    let read = 0;
    for (const { word, quality, match: kind } of words) {
      vocabulary.expand(word, kind, (term, closeness) => {
        const of = places[term] ?? [];
        read += of.length;
        if (read > limit) return false;
        for (const place of of) best[place] = Math.max(best[place] ?? 0, quality * closeness);
        return true;
      });
      if (read > limit) break;
    }
    return read;
  }

  async function scores(query: string, terms = termsOf(query)): Promise<Float64Array> {
    await (built ??= build());
    const sums = new Float64Array(texts.length);
    const used = terms.slice(0, MAX_QUERY_WORDS);
    const whole = used.reduce((sum, { weight }) => sum + weight, 0);
    const best = new Float64Array(texts.length * FIELDS.length);
    /** How many words of each item's name are in the query. */
    const named = new Float64Array(texts.length);
    let left = MAX_PLACES;
    for (const term of used) {
      if (vocabulary.size > MAX_WORDS_IN_ONE_TURN) await nextTurn();
      best.fill(0);
      left -= match(term, best, left);
      const share = (CEILING * term.weight) / whole;
      for (let id = 0; id < sums.length; id += 1) {
        sums[id] = (sums[id] ?? 0) + share * certainty(best, id * FIELDS.length);
        named[id] = (named[id] ?? 0) + (best[id * FIELDS.length + NAME] ?? 0);
      }
      if (left <= 0) break;
    }
    for (let id = 0; id < sums.length; id += 1) {
      const covered = Math.min(1, (named[id] ?? 0) / Math.max(1, nameWords[id] ?? 1));
      sums[id] = (sums[id] ?? 0) * (1 - SHARE_OF_NAME * (1 - covered));
    }
    for (const id of exact.get(fold(query)) ?? []) sums[id] = 1;
    return sums;
  }

  return {
    scores,
    async search(query) {
      return hitsOf(items, await scores(query));
    },
  };
}

/** The items with a score above 0. */
export function hitsOf<T>(items: readonly T[], scores: Float64Array): readonly Hit<T>[] {
  return items.flatMap((item, id) => {
    const score = scores[id] ?? 0;
    return score === 0 ? [] : [{ item, score }];
  });
}

/**
 * How well an item matches a word, from 0 to 1. The matches of its fields are in `best`, from `start` on. Half of the result is for the
 * word occurring at all, so that an item with all words of a query in its description comes before one with only some of them in its name.
 * The other half depends on the fields: each matching field covers its weight's share of what is left.
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

function termsOf(query: string): readonly SearchTerm[] {
  const words = firstWords(query, Number.POSITIVE_INFINITY).flatMap((word) => normaliseWord(word) ?? []);
  return [...new Set(words)].map((word) => ({ words: [{ word, quality: 1, match: 'typed' }], weight: 1 }));
}

function fold(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').toLowerCase();
}
