/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Matching records over all pages. */
  readonly totalCount: number;
  /** Zero-based index of the first item. */
  readonly offset: number;
  /** The requested number of items. */
  readonly top: number;
}

/** The range of records requested from a list. */
export interface PageQuery {
  readonly offset?: number;
  readonly top?: number;
}

/**
 * Every record of a list from `params.offset` on; each page is fetched when its first record is requested. Ends by the
 * API's rule: when `offset + items.length >= totalCount`. An empty page ends it too, because nothing would follow.
 */
export async function* iterate<Q extends PageQuery, T>(
  params: Q,
  list: (params: Q) => Promise<Page<T>>,
): AsyncGenerator<T, void, undefined> {
  let offset = params.offset ?? 0;
  for (;;) {
    const page = await list({ ...params, offset });
    yield* page.items;
    offset += page.items.length;
    if (page.items.length === 0 || offset >= page.totalCount) return;
  }
}
