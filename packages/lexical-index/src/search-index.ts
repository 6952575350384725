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
  search(query: string): Promise<readonly Hit<T>[]>;
}

/** Creates the index of a list of items. */
export type CreateSearchIndex = <T>(items: readonly T[], textOf: (item: T) => SearchText) => SearchIndex<T>;
