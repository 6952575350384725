import type { CountedPage, Page } from '@fairlead/service-kit/page';

/** A page of a list in memory; empty beyond the end. */
export function pageOf<T>(all: readonly T[], { offset, top }: Page): CountedPage<T> {
  return { items: all.slice(offset, offset + top), totalCount: all.length };
}
