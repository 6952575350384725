import type { CataloguedApplication, CataloguedTool, CataloguedTriggerType } from './application.ts';
import { compareApplications, compareTools, compareTriggerTypes } from './order.ts';
import type { CreateSearchIndex, SearchIndex } from './search-index.ts';

/** Applications with one owner, the platform or an account, ready to be listed, found and searched. */
export interface Shelf {
  /** In catalogue order. */
  readonly applications: readonly CataloguedApplication[];
  /** In catalogue order. */
  readonly tools: readonly CataloguedTool[];
  /** In catalogue order. */
  readonly triggerTypes: readonly CataloguedTriggerType[];
  readonly applicationBySlug: ReadonlyMap<string, CataloguedApplication>;
  /** By slug and by alias. */
  readonly toolsBySlug: ReadonlyMap<string, readonly CataloguedTool[]>;
  applicationIndex(): SearchIndex<CataloguedApplication>;
  toolIndex(): SearchIndex<CataloguedTool>;
  triggerTypeIndex(): SearchIndex<CataloguedTriggerType>;
}

/** Creates a shelf of applications with distinct slugs. Its search indexes are built on first use. */
export function createShelf(
  applications: readonly CataloguedApplication[],
  createIndex: CreateSearchIndex,
): Shelf {
  const sorted = applications.toSorted(compareApplications);
  const tools = applications
    .flatMap((application) =>
      application.connector.tools.map((tool): CataloguedTool => ({ application, tool })),
    )
    .toSorted(compareTools);
  const triggerTypes = applications
    .flatMap((application) =>
      application.connector.triggerTypes.map((triggerType): CataloguedTriggerType => ({
        application,
        triggerType,
      })),
    )
    .toSorted(compareTriggerTypes);
  return {
    applications: sorted,
    tools,
    triggerTypes,
    applicationBySlug: new Map(sorted.map((application) => [application.connector.slug, application])),
    toolsBySlug: bySlug(tools),
    applicationIndex: once(() =>
      createIndex(sorted, ({ connector }) => ({
        slug: connector.slug,
        name: connector.name,
        description: connector.description,
        category: connector.categories.join(' '),
        application: '',
      })),
    ),
    toolIndex: once(() =>
      createIndex(tools, ({ tool, application }) => ({
        slug: tool.toolSlug,
        name: tool.toolName,
        description: tool.description,
        category: tool.category,
        application: application.connector.name,
      })),
    ),
    triggerTypeIndex: once(() =>
      createIndex(triggerTypes, ({ triggerType, application }) => ({
        slug: triggerType.slug,
        name: triggerType.name,
        description: triggerType.description,
        category: application.connector.categories.join(' '),
        application: application.connector.name,
      })),
    ),
  };
}

function bySlug(tools: readonly CataloguedTool[]): ReadonlyMap<string, readonly CataloguedTool[]> {
  const named = tools.flatMap((it) => [it.tool.toolSlug, ...it.tool.aliases].map((slug) => ({ slug, it })));
  const groups = Map.groupBy(named, ({ slug }) => slug);
  return new Map([...groups].map(([slug, group]) => [slug, group.map(({ it }) => it)]));
}

function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
