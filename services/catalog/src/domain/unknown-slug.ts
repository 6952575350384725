import { unknownSlug } from '@fairlead/errors/api-error';
import type { ApiError } from '@fairlead/errors/api-error';
import leven from 'leven';
import type { CataloguedTool } from './application.ts';
import type { CatalogueView } from './catalogue-view.ts';

/** At most this many slugs are compared with an unknown one: an account may have 100 000 tools. */
const MAX_COMPARED = 2_000;
/** Longer slugs are not compared. */
const MAX_LENGTH = 100;
const MAX_CANDIDATES = 3;
/** With a larger edit distance, a slug is not considered a typo. */
const MAX_DISTANCE = 8;

/** NOT_FOUND for an unknown application slug; the nearest slugs that the caller sees are candidates. */
export function unknownApplication(
  view: Pick<CatalogueView, 'applications' | 'findTools' | 'findTriggerType'>,
  slug: string,
): ApiError {
  const visible = view.applications().map(({ connector }) => connector.slug);
  return unknownSlug(
    'application',
    slug,
    nearestSlugs(slug, visible),
    asTool(view, slug) ?? asTriggerType(view, slug),
  );
}

/**
 * NOT_FOUND for an unknown tool slug, in one application or in all. If another application has the tool, the error names that application.
 */
export function unknownTool(
  view: Pick<CatalogueView, 'tools' | 'findTools' | 'findApplication' | 'findTriggerType'>,
  slug: string,
  applicationSlug?: string,
): ApiError {
  const noun = applicationSlug === undefined ? 'tool' : `${applicationSlug} tool`;
  const whereabouts =
    asTool(view, slug) ??
    asTriggerType(view, slug) ??
    (view.findApplication(slug) &&
      `It is an application: GET /v1/tools?applicationSlug=${slug} lists its tools.`);
  return unknownSlug(noun, slug, nearestSlugs(slug, slugsOf(view.tools(applicationSlug))), whereabouts);
}

function* slugsOf(tools: readonly CataloguedTool[]): Generator<string> {
  for (const { tool } of tools) yield tool.toolSlug;
}

/**
 * NOT_FOUND for an unknown trigger type slug. If it is the slug of a tool or an application, the error says where that application's
 * trigger types are.
 */
export function unknownTriggerType(
  view: Pick<CatalogueView, 'applications' | 'triggerTypes' | 'findTools' | 'findApplication'>,
  slug: string,
): ApiError {
  const application = view.findApplication(slug) ?? view.findTools(slug)[0]?.application;
  const slugs = view.triggerTypes(undefined).map(({ triggerType }) => triggerType.slug);
  const candidates = new Set([...ofOtherApplications(view, slug), ...nearestSlugs(slug, slugs)]);
  return unknownSlug(
    'trigger type',
    slug,
    [...candidates].slice(0, MAX_CANDIDATES),
    application && triggerTypesOf(view, application.connector.slug, slug),
  );
}

/** Where to find the trigger types of an application, given its slug or the slug of one of its tools. */
function triggerTypesOf(
  view: Pick<CatalogueView, 'triggerTypes'>,
  applicationSlug: string,
  slug: string,
): string {
  const kind = slug === applicationSlug ? 'an application' : `a tool of ${applicationSlug}`;
  return view.triggerTypes(applicationSlug).length === 0
    ? `It is ${kind}; ${applicationSlug} has no trigger types.`
    : `It is ${kind}: GET /v1/triggers/types?applicationSlug=${applicationSlug} lists the trigger types.`;
}

/** For `mail-contact-created`, lists `<applicationSlug>-contact-created` of all applications other than `mail`. */
function ofOtherApplications(
  view: Pick<CatalogueView, 'applications' | 'triggerTypes'>,
  slug: string,
): readonly string[] {
  const names = view
    .applications()
    .map(({ connector }) => `${connector.slug}-`)
    .filter((prefix) => slug.startsWith(prefix))
    .map((prefix) => slug.slice(prefix.length));
  return view
    .triggerTypes(undefined)
    .map(({ triggerType, application }) => ({ slug: triggerType.slug, of: application.connector.slug }))
    .filter((type) => names.some((name) => type.slug === `${type.of}-${name}`))
    .map((type) => type.slug);
}

function asTool(view: Pick<CatalogueView, 'findTools'>, slug: string): string | undefined {
  const applications = view.findTools(slug).map(({ application }) => application.connector.slug);
  if (applications.length === 0) return undefined;
  return `It is a tool of ${applications.slice(0, MAX_CANDIDATES).join(', ')}.`;
}

function asTriggerType(view: Pick<CatalogueView, 'findTriggerType'>, slug: string): string | undefined {
  const found = view.findTriggerType(slug);
  return found && `It is a trigger type of ${found.application.connector.slug}.`;
}

/** Sorts by distance, ignoring case. */
function nearestSlugs(slug: string, visible: Iterable<string>): readonly string[] {
  if (slug.length > MAX_LENGTH) return [];
  const limit = Math.min(MAX_DISTANCE, Math.max(1, Math.floor(slug.length / 3)));
  const lowerCase = slug.toLowerCase();
  const found = new Map<string, number>();
  let compared = 0;
  for (const each of visible) {
    if (Math.abs(each.length - slug.length) > limit) continue;
    if ((compared += 1) > MAX_COMPARED) break;
    const distance = leven(lowerCase, each.toLowerCase(), { maxDistance: limit + 1 });
    if (distance <= limit) found.set(each, distance);
  }
  return [...found]
    .toSorted(([a, near], [b, nearB]) => near - nearB || (a < b ? -1 : 1))
    .slice(0, MAX_CANDIDATES)
    .map(([each]) => each);
}
