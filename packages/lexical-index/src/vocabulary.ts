import { isWithinEdits } from './edit-distance.ts';
import type { SearchWord } from './search-index.ts';

/** The closeness of a term with typing errors, from 0 to 1. */
const FUZZY_QUALITY = 0.5;
/** Maximum number of terms that are compared with a word for typing errors. If more terms have a similar length, the rest are not found. */
const MAX_COMPARED = 2_000;
/** With more terms than this, words with two typing errors are not found. */
const MAX_TERMS_FOR_TWO_EDITS = 2_000;

/** The terms of an index, numbered in the order in which they were added. */
export interface Vocabulary {
  readonly size: number;
  /** Returns the number of a term; adds the term if it is new. */
  add(term: string): number;
  /**
   * Visits every term that a word may stand for, with its closeness: 1 if equal, less if the term begins with the word or differs by typing
   * errors, as far as `match` permits. Stops when `visit` returns false.
   */
  expand(word: string, match: SearchWord['match'], visit: (term: number, quality: number) => boolean): void;
}

/**
 * Creates an empty vocabulary. The time to expand a word is proportional to the number of terms found, plus at most MAX_COMPARED
 * comparisons.
 */
export function createVocabulary(): Vocabulary {
  const terms: string[] = [];
  const numbers = new Map<string, number>();
  const byLength = new Map<number, number[]>();
  let sorted: { readonly texts: readonly string[]; readonly numbers: readonly number[] } | undefined;

  /** Sorted without a comparison function, which takes a fraction of the time: by UTF-16 unit, as `<` compares. */
  const sort = (): NonNullable<typeof sorted> => {
    const texts = terms.toSorted();
    return { texts, numbers: texts.map((term) => numbers.get(term) ?? 0) };
  };

  return {
    get size() {
      return terms.length;
    },
    add(term) {
      const known = numbers.get(term);
      if (known !== undefined) return known;
      const number = terms.length;
      terms.push(term);
      numbers.set(term, number);
      const alike = byLength.get(term.length);
      if (alike === undefined) byLength.set(term.length, [number]);
      else alike.push(number);
      sorted = undefined;
      return number;
    },
    expand(word, match, visit) {
      if (word.length < 2 || match === 'whole') {
        const exact = numbers.get(word);
        if (exact !== undefined) visit(exact, 1);
        return;
      }
      sorted ??= sort();
      for (let at = lowerBound(sorted.texts, word); at < sorted.texts.length; at += 1) {
        const term = sorted.texts[at] ?? '';
        if (!term.startsWith(word)) break;
        const quality = term.length === word.length ? 1 : (1 + word.length / term.length) / 2;
        if (!visit(sorted.numbers[at] ?? 0, quality)) return;
      }
      if (word.length < 4 || match === 'beginning') return;
      const edits = word.length >= 7 && terms.length <= MAX_TERMS_FOR_TWO_EDITS ? 2 : 1;
      let left = MAX_COMPARED;
      for (let length = word.length - edits; length <= word.length + edits; length += 1) {
        for (const number of byLength.get(length) ?? []) {
          if (left === 0) return;
          left -= 1;
          const term = terms[number] ?? '';
          const isMistyped = !term.startsWith(word) && isWithinEdits(word, term, edits);
          if (isMistyped && !visit(number, FUZZY_QUALITY)) return;
        }
      }
    },
  };
}

/** The first index in a sorted list whose term is not less than `word`. */
function lowerBound(order: readonly string[], word: string): number {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((order[middle] ?? '') < word) low = middle + 1;
    else high = middle;
  }
  return low;
}
