import { unknownSlug } from '@fairlead/errors/api-error';
import type { ApiError } from '@fairlead/errors/api-error';
import leven from 'leven';
import type { CataloguedTool } from './application.ts';
import type { CatalogueView } from './catalogue-view.ts';

/** Slugs that are compared with an unknown one, at most: an account may have 100 000 tools. */
const MAX_COMPARED = 2_000;
/** A longer slug is compared with no other. */
const MAX_LENGTH = 100;
const MAX_CANDIDATES = 3;
/** More letters that differ are no slip. */
const MAX_DISTANCE = 8;

/** NOT_FOUND for a slug that no application has, with the nearest of those that the caller sees as candidates. */
export function unknownApplication(view: Pick<CatalogueView, 'applications'>, slug: string): ApiError {
  const visible = view.applications().map(({ connector }) => connector.slug);
  return unknownSlug('application', slug, nearestSlugs(slug, visible));
}

/** The same for a tool of any application, or of one. */
export function unknownTool(
  view: Pick<CatalogueView, 'tools'>,
  slug: string,
  applicationSlug?: string,
): ApiError {
  const noun = applicationSlug === undefined ? 'tool' : `tool of ${applicationSlug}`;
  return unknownSlug(noun, slug, nearestSlugs(slug, slugsOf(view.tools(applicationSlug))));
}

function* slugsOf(tools: readonly CataloguedTool[]): Generator<string> {
  for (const { tool } of tools) yield tool.toolSlug;
}

/** The same for a trigger type. */
export function unknownTriggerType(slug: string, visible: Iterable<string>): ApiError {
  return unknownSlug('trigger type', slug, nearestSlugs(slug, visible));
}

/** The nearest first. Letters of either case are alike. */
function nearestSlugs(slug: string, visible: Iterable<string>): readonly string[] {
  if (slug.length > MAX_LENGTH) return [];
  const limit = Math.min(MAX_DISTANCE, Math.max(1, Math.floor(slug.length / 3)));
  const wanted = slug.toLowerCase();
  const found = new Map<string, number>();
  let compared = 0;
  for (const each of visible) {
    if (Math.abs(each.length - slug.length) > limit) continue;
    if ((compared += 1) > MAX_COMPARED) break;
    const distance = leven(wanted, each.toLowerCase(), { maxDistance: limit + 1 });
    if (distance <= limit) found.set(each, distance);
  }
  return [...found]
    .toSorted(([a, near], [b, nearB]) => near - nearB || (a < b ? -1 : 1))
    .slice(0, MAX_CANDIDATES)
    .map(([each]) => each);
}
