import { identitiesOf } from './application.ts';
import type { CataloguedApplication, CataloguedTool, CataloguedTriggerType } from './application.ts';
import { compareApplications, compareTools, compareTriggerTypes } from './order.ts';
import type { Connector, ToolDefinition } from '@fairlead/connector-model/model';
import type { CreateSearchIndex, SearchIndex, SearchText } from '@fairlead/lexical-index/search-index';

/** Applications with one owner, the platform or an account, ready to be listed, found and searched. */
export interface ApplicationList {
  /** In catalogue order. */
  readonly applications: readonly CataloguedApplication[];
  /** The tools of all applications, in catalogue order. */
  tools(): readonly CataloguedTool[];
  /** In catalogue order. */
  readonly triggerTypes: readonly CataloguedTriggerType[];
  readonly applicationBySlug: ReadonlyMap<string, CataloguedApplication>;
  /** Tools with this slug or alias, ordered by application. */
  toolsWithSlug(slug: string): readonly CataloguedTool[];
  applicationIndex(): SearchIndex<CataloguedApplication>;
  toolIndex(): SearchIndex<CataloguedTool>;
  triggerTypeIndex(): SearchIndex<CataloguedTriggerType>;
}

/**
 * Creates a list of applications with distinct slugs. Search indexes and tools are built on first use: an account may have a thousand tools
 * per application, and most calls need one application only.
 */
export function createApplicationList(
  applications: readonly CataloguedApplication[],
  createIndex: CreateSearchIndex,
): ApplicationList {
  const sorted = applications.toSorted(compareApplications);
  // The applications' lists are sorted; sorting their concatenation merges them.
  const tools = once(() => applications.flatMap(toolsOf).toSorted(compareTools));
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
    toolsWithSlug(slug) {
      const found: CataloguedTool[] = [];
      for (const application of applications) found.push(...(slugsOf(application).get(slug) ?? []));
      return found;
    },
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
      createIndex(tools(), ({ tool, application: { connector } }) => searchTextOf(connector, tool)),
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

/** The texts by which search finds a tool of an application. */
export function searchTextOf(
  { name, categories }: Connector,
  { toolSlug, toolName, description, category }: ToolDefinition,
): SearchText {
  return {
    slug: toolSlug,
    name: toolName,
    description,
    category: [category, ...categories].join(' '),
    application: name,
  };
}

/** The tools of an application in catalogue order. */
export const toolsOf = perApplication((application) =>
  application.connector.tools.map((tool): CataloguedTool => ({ application, tool })).toSorted(compareTools),
);

/** The tools of an application by identity. */
export const toolsByIdentity = perApplication((application): ReadonlyMap<string, CataloguedTool> => {
  const tools = new Map<string, CataloguedTool>();
  for (const each of toolsOf(application))
    for (const identity of identitiesOf(each)) tools.set(identity, tools.get(identity) ?? each);
  return tools;
});

/** The tools of an application by slug and by alias. */
const slugsOf = perApplication((application): ReadonlyMap<string, readonly CataloguedTool[]> => {
  const groups = new Map<string, CataloguedTool[]>();
  const add = (slug: string, tool: CataloguedTool): void => {
    const same = groups.get(slug);
    if (same === undefined) groups.set(slug, [tool]);
    else same.push(tool);
  };
  for (const each of toolsOf(application)) {
    add(each.tool.toolSlug, each);
    for (const alias of each.tool.aliases) add(alias, each);
  }
  return groups;
});

/** Caches `make` per application: an unchanged application is in every new list of its account. */
function perApplication<T>(
  make: (application: CataloguedApplication) => T,
): (application: CataloguedApplication) => T {
  const valuesByApplication = new WeakMap<CataloguedApplication, T>();
  return (application) => {
    const known = valuesByApplication.get(application);
    if (known !== undefined) return known;
    const value = make(application);
    valuesByApplication.set(application, value);
    return value;
  };
}

function once<T extends object>(make: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= make());
}
