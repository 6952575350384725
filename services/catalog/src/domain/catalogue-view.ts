import type { CataloguedApplication, CataloguedTool, CataloguedTriggerType } from './application.ts';
import { compareApplications, compareTools, mergeSorted } from './order.ts';
import type { Hit, SearchIndex } from '@fairlead/lexical-index/search-index';
import { toolsByIdentity, toolsOf } from './application-list.ts';
import type { ApplicationList } from './application-list.ts';

/** The catalogue as one account sees it: the platform's applications and its own. */
export interface CatalogueView {
  /** In catalogue order. */
  applications(): readonly CataloguedApplication[];
  /** In catalogue order; the tools of one application, or all. */
  tools(applicationSlug: string | undefined): readonly CataloguedTool[];
  findApplication(slug: string): CataloguedApplication | undefined;
  /** Tools with that slug or alias, ordered by application slug. */
  findTools(toolSlug: string): readonly CataloguedTool[];
  /** The application's tool with that identity. */
  findIdentified(applicationSlug: string, identity: string): CataloguedTool | undefined;
  /** By relevance, then in catalogue order. */
  searchApplications(query: string): Promise<readonly Hit<CataloguedApplication>[]>;
  /** By relevance, then in catalogue order. */
  searchTools(query: string): Promise<readonly Hit<CataloguedTool>[]>;
  /** In catalogue order; the trigger types of one application, or all. Only the platform's applications have any. */
  triggerTypes(applicationSlug: string | undefined): readonly CataloguedTriggerType[];
  findTriggerType(slug: string): CataloguedTriggerType | undefined;
  /** By relevance, then in catalogue order. */
  searchTriggerTypes(query: string): Promise<readonly Hit<CataloguedTriggerType>[]>;
}

/**
 * The view over the platform's applications and an account's own (undefined: none). If both have a slug, because the platform added it
 * later, the account's application wins: the account's connections belong to it.
 */
export function createCatalogueView(
  platform: ApplicationList,
  own: ApplicationList | undefined,
): CatalogueView {
  const isShadowed = ({ connector }: CataloguedApplication): boolean =>
    own?.applicationBySlug.has(connector.slug) === true;
  const platformApplications =
    own === undefined
      ? platform.applications
      : platform.applications.filter((application) => !isShadowed(application));
  const unshadowed = (tools: readonly CataloguedTool[]): readonly CataloguedTool[] =>
    own === undefined ? tools : tools.filter(({ application }) => !isShadowed(application));

  const triggerTypes =
    own === undefined
      ? platform.triggerTypes
      : platform.triggerTypes.filter(({ application }) => !isShadowed(application));

  const findApplication = (slug: string): CataloguedApplication | undefined =>
    own?.applicationBySlug.get(slug) ?? platform.applicationBySlug.get(slug);

  return {
    applications: () => mergeSorted(platformApplications, own?.applications ?? [], compareApplications),
    tools(applicationSlug) {
      if (applicationSlug === undefined)
        return mergeSorted(unshadowed(platform.tools()), own?.tools() ?? [], compareTools);
      const application = findApplication(applicationSlug);
      return application === undefined ? [] : toolsOf(application);
    },
    findApplication,
    findTools: (toolSlug) =>
      [...unshadowed(platform.toolsWithSlug(toolSlug)), ...(own?.toolsWithSlug(toolSlug) ?? [])].toSorted(
        byApplicationSlug,
      ),
    findIdentified(applicationSlug, identity) {
      const application = findApplication(applicationSlug);
      return application === undefined ? undefined : toolsByIdentity(application).get(identity);
    },
    searchApplications: (query) =>
      searchBoth(
        (index) => index.search(query),
        platform.applicationIndex(),
        own?.applicationIndex(),
        isShadowed,
        compareApplications,
      ),
    searchTools: (query) =>
      searchBoth(
        (index) => index.search(query),
        platform.toolIndex(),
        own?.toolIndex(),
        ({ application }) => isShadowed(application),
        compareTools,
      ),
    triggerTypes: (applicationSlug) =>
      applicationSlug === undefined
        ? triggerTypes
        : triggerTypes.filter(({ application }) => application.connector.slug === applicationSlug),
    findTriggerType: (slug) => triggerTypes.find(({ triggerType }) => triggerType.slug === slug),
    async searchTriggerTypes(query) {
      const hits = await platform.triggerTypeIndex().search(query);
      return hits.filter(({ item }) => !isShadowed(item.application)).toSorted(byScore);
    },
  };
}

async function searchBoth<T>(
  search: (index: SearchIndex<T>) => Promise<readonly Hit<T>[]>,
  platform: SearchIndex<T>,
  own: SearchIndex<T> | undefined,
  isShadowed: (item: T) => boolean,
  compare: (a: T, b: T) => number,
): Promise<readonly Hit<T>[]> {
  const [platformHits, ownHits] = await Promise.all([search(platform), own === undefined ? [] : search(own)]);
  // Both lists are in catalogue order, and sorting is stable; names only have to be compared if hits of both lists have the same score.
  return mergeSorted(
    platformHits.filter(({ item }) => !isShadowed(item)).toSorted(byScore),
    ownHits.toSorted(byScore),
    (a, b) => byScore(a, b) || compare(a.item, b.item),
  );
}

function byScore(a: Hit<unknown>, b: Hit<unknown>): number {
  return b.score - a.score;
}

function byApplicationSlug(a: CataloguedTool, b: CataloguedTool): number {
  return a.application.connector.slug < b.application.connector.slug ? -1 : 1;
}
