/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Matching records over all pages. */
  readonly totalCount: number;
  /** Zero-based index of the first item. */
  readonly offset: number;
  /** How many were asked for. */
  readonly top: number;
}

/** Which records of a list are wanted. */
export interface PageQuery {
  readonly offset?: number;
  readonly top?: number;
}

/**
 * Every record of a list from `params.offset` on, each page fetched when its first record is asked for. Ends by the API's
 * rule: when `offset + items.length >= totalCount`; an empty page ends it too, as nothing would follow.
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
