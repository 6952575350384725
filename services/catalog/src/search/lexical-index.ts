import { setImmediate as nextTurn } from 'node:timers/promises';
import MiniSearch from 'minisearch';
import type { SearchOptions, SearchResult } from 'minisearch';
import type { CreateSearchIndex, SearchText } from '../domain/search-index.ts';

/** The weight of a match in a field: how strongly it indicates that the item is the one searched for. */
const FIELD_WEIGHTS = { name: 0.9, slug: 0.8, category: 0.5, application: 0.5, description: 0.4 } as const;
const FIELDS = [
  'name',
  'slug',
  'category',
  'application',
  'description',
] as const satisfies (keyof SearchText)[];

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
/** Further words of a text are not found, nor are the further characters of a word. */
const MAX_TEXT_WORDS = 40;
const MAX_WORD_LENGTH = 32;
/**
 * Looking for a word takes long in an index with more words than this: other calls are served in between, and words with
 * two typing errors are not found.
 */
const MAX_WORDS_IN_ONE_TURN = 2_000;
/** Items that are indexed without serving other calls meanwhile. */
const ITEMS_A_TURN = 20;

const FUZZY_QUALITY = 0.5;
/** The highest score of a hit that is not exact. */
const CEILING = 0.99;

/**
 * Finds items by their words: exact, by prefix and with typing errors. The score says how much of the query an item
 * covers and where. Unlike BM25, it does not depend on the other items of the index, so hits of several indexes can be
 * merged. It is built with the first search. Both let other calls run in between, because an account's own application may
 * be as large as the catalogue accepts.
 */
export const createLexicalIndex: CreateSearchIndex = (items, textOf) => {
  const texts = items.map(textOf);
  const index = new MiniSearch<SearchText & { readonly id: number }>({
    fields: [...FIELDS],
    tokenize: (text) => tokenize(text).slice(0, MAX_TEXT_WORDS),
    processTerm: normalise,
  });
  let built: Promise<void> | undefined;
  const options: SearchOptions = {
    prefix: (word) => word.length >= 2,
    // Swapping two letters counts as two edits.
    fuzzy: (word) =>
      word.length >= 7 && index.termCount <= MAX_WORDS_IN_ONE_TURN ? 2 : word.length >= 4 && 1,
  };
  return {
    async search(query) {
      const words = wordsOf(query);
      await (built ??= index.addAllAsync(
        texts.map((text, id) => ({ id, ...text })),
        { chunkSize: ITEMS_A_TURN },
      ));
      const scores = new Map<number, number>();
      for (const word of words) {
        if (index.termCount > MAX_WORDS_IN_ONE_TURN) await nextTurn();
        // One word at a time, because a result does not say which word of the query its terms match.
        for (const result of index.search(word, options)) {
          const share = (CEILING * certainty(result.match, word)) / words.length;
          scores.set(idOf(result), (scores.get(idOf(result)) ?? 0) + share);
        }
      }
      const wanted = fold(query);
      texts.forEach(({ slug, name }, id) => {
        if (fold(slug) === wanted || fold(name) === wanted) scores.set(id, 1);
      });
      return [...scores].flatMap(([id, score]) => {
        const item = items[id];
        return item === undefined ? [] : [{ item, score }];
      });
    },
  };
};

/**
 * How well an item matches a word, from 0 to 1. Half of it is for the word occurring at all, so that an item with all
 * words of a query in its description comes before one with some of them in its name. The other half is for the fields:
 * matches in several fields add up, each covering its share of what the others left.
 */
function certainty(match: SearchResult['match'], word: string): number {
  const best = new Map<string, number>();
  for (const [term, fields] of Object.entries(match)) {
    const quality = matchQuality(term, word);
    for (const field of fields) best.set(field, Math.max(best.get(field) ?? 0, quality));
  }
  const doubt = FIELDS.reduce((left, field) => left * (1 - FIELD_WEIGHTS[field] * (best.get(field) ?? 0)), 1);
  return (Math.max(...best.values(), 0) + 1 - doubt) / 2;
}

/** How close a term of an item is to a word of the query: equal, starting with it, or with typing errors. */
function matchQuality(term: string, word: string): number {
  if (term === word) return 1;
  return term.startsWith(word) ? (1 + word.length / term.length) / 2 : FUZZY_QUALITY;
}

function wordsOf(query: string): readonly string[] {
  const words = tokenize(query).flatMap((word) => normalise(word) ?? []);
  return [...new Set(words)].slice(0, MAX_QUERY_WORDS);
}

function tokenize(text: string): string[] {
  return text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
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

function idOf({ id }: SearchResult): number {
  return Number(id);
}
