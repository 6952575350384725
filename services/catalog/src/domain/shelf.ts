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
  // Sorting lists that are in order, one after another, merges them.
  const tools = applications.flatMap(toolsOf).toSorted(compareTools);
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

const toolLists = new WeakMap<CataloguedApplication, readonly CataloguedTool[]>();

/** The tools of an application in catalogue order. One that has not changed is put on each shelf of its account. */
function toolsOf(application: CataloguedApplication): readonly CataloguedTool[] {
  const known = toolLists.get(application);
  if (known !== undefined) return known;
  const { tools } = application.connector;
  const sorted = tools.map((tool): CataloguedTool => ({ application, tool })).toSorted(compareTools);
  toolLists.set(application, sorted);
  return sorted;
}

function bySlug(tools: readonly CataloguedTool[]): ReadonlyMap<string, readonly CataloguedTool[]> {
  const groups = new Map<string, CataloguedTool[]>();
  const add = (slug: string, tool: CataloguedTool): void => {
    const same = groups.get(slug);
    if (same === undefined) groups.set(slug, [tool]);
    else same.push(tool);
  };
  for (const each of tools) {
    add(each.tool.toolSlug, each);
    for (const alias of each.tool.aliases) add(alias, each);
  }
  return groups;
}

function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
