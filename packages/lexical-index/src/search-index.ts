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

/** Finds items by their texts, in the order in which it was given them. */
export interface SearchIndex<T> {
  /** `accountId` is the account for which it searches, if it is one. */
  search(query: string, accountId?: string): Promise<readonly Hit<T>[]>;
}

/** Creates the index of a list of items. */
export type CreateSearchIndex = <T>(items: readonly T[], textOf: (item: T) => SearchText) => SearchIndex<T>;

/** A part of a query: words of which an item should have one. */
export interface SearchTerm {
  readonly words: readonly SearchWord[];
  /** How much of the query it is, compared with the other terms. */
  readonly weight: number;
}

/** A word that says what a term means. */
export interface SearchWord {
  /** As `normaliseWord` makes it. */
  readonly word: string;
  /** From 0 to 1: how well an item with the word matches the term. */
  readonly quality: number;
  /** `typed`: also words that begin with it or differ by typing errors; `beginning`: also those that begin with it. */
  readonly match: 'typed' | 'beginning' | 'whole';
}
