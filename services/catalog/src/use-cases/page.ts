import type { Listed } from '../domain/application.ts';

/** `top` records from the zero-based `offset` on. */
export interface PageRequest {
  readonly offset: number;
  readonly top: number;
}

/** The page of a list that is at hand as a whole; one beyond its end is empty. */
export function pageOf<T>(all: readonly T[], { offset, top }: PageRequest): Listed<T> {
  return { items: all.slice(offset, offset + top), totalCount: all.length };
}
