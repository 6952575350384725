/** The searchable texts of an application or a tool. */
export interface SearchText {
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly category: string;
  /** Name of the application; empty for an application itself. */
  readonly application: string;
}

/** A hit; `score` is from 0 to 1, comparable between indexes, and 1 only for an exact slug or name. */
export interface Hit<T> {
  readonly item: T;
  readonly score: number;
}

/** Finds items by their texts. Hits have the order of the items. */
export interface SearchIndex<T> {
  search(query: string): Promise<readonly Hit<T>[]>;
}

/** Creates the index of a list of items. */
export type CreateSearchIndex = <T>(items: readonly T[], textOf: (item: T) => SearchText) => SearchIndex<T>;

/** A part of a query: alternative words, one of which an item should have. */
export interface SearchTerm {
  readonly words: readonly SearchWord[];
  /** Weight of the term within the query. */
  readonly weight: number;
}

/** A word that can express a term. */
export interface SearchWord {
  /** In the form that `normaliseWord` returns. */
  readonly word: string;
  /** How well an item with the word matches the term, from 0 to 1. */
  readonly quality: number;
  /** `typed`: also matches words that begin with it or differ by typing errors; `beginning`: also words that begin with it. */
  readonly match: 'typed' | 'beginning' | 'whole';
}
