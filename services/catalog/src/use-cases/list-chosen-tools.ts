import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CountedPage, Page } from '@fairlead/service-kit/page';
import type { CataloguedTool } from '../domain/application.ts';
import type { CatalogueView } from '../domain/catalogue-view.ts';
import { pageOf } from '../domain/list.ts';
import { compareTools } from '../domain/order.ts';
import type { Catalogue } from '../ports/catalogue.ts';

/** Every tool of some applications, or some tools. */
type Choice = { readonly applicationSlugs: readonly string[] } | { readonly tools: readonly ToolChoice[] };

/** One tool of one application. */
interface ToolChoice {
  readonly applicationSlug: string;
  readonly toolSlug: string;
  /** Empty: the tool's slug determines the application. */
  readonly identity: string;
}

/** Choice and page of the list. */
export interface ChosenToolsQuery {
  readonly choice: Choice;
  /** Omits tools that may have effects; only the platform's catalogue is trusted to say that a tool has none. */
  readonly isReadOnly: boolean;
  /** Omits tools of applications that may not be served on MCP servers. */
  readonly isMcpEnabled: boolean;
  readonly page: Page;
}

/** The chosen tools that the caller sees, by name, without duplicates. */
export async function listChosenTools(
  deps: { readonly catalogue: Catalogue },
  ctx: RequestContext,
  { choice, isReadOnly, isMcpEnabled, page }: ChosenToolsQuery,
): Promise<CountedPage<CataloguedTool>> {
  const chosen = toolsOfChoice(await deps.catalogue.view(ctx), choice).filter(
    (tool) =>
      (!isReadOnly || changesNothing(tool)) && (!isMcpEnabled || tool.application.connector.isMcpEnabled),
  );
  return pageOf(chosen, page);
}

/** Accounts' own tools do not count, because an MCP server or an imported description can claim anything about its tools. */
function changesNothing({ application, tool }: CataloguedTool): boolean {
  return application.owner === 'platform' && tool.retryClass === 'readOnly';
}

function toolsOfChoice(view: CatalogueView, choice: Choice): readonly CataloguedTool[] {
  if ('applicationSlugs' in choice) {
    const slugs = new Set(choice.applicationSlugs);
    return [...slugs].flatMap((slug) => view.tools(slug)).toSorted(compareTools);
  }
  const chosen = new Set<CataloguedTool>();
  for (const { applicationSlug, toolSlug, identity } of choice.tools) {
    const tool =
      identity === ''
        ? view.findTools(toolSlug).find(({ application }) => application.connector.slug === applicationSlug)
        : view.findIdentified(applicationSlug, identity);
    if (tool !== undefined) chosen.add(tool);
  }
  return [...chosen].toSorted(compareTools);
}
