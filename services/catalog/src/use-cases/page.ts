import type { Page } from '@fairlead/service-kit/page';
import type { Listed } from '../domain/application.ts';

/** The page of a list that is at hand as a whole; one beyond its end is empty. */
export function pageOf<T>(all: readonly T[], { offset, top }: Page): Listed<T> {
  return { items: all.slice(offset, offset + top), totalCount: all.length };
}
