import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CountedPage, Page } from '@fairlead/service-kit/page';
import type { CataloguedTool } from '../domain/application.ts';
import type { CatalogueView } from '../domain/catalogue-view.ts';
import { pageOf } from '../domain/list.ts';
import { compareTools } from '../domain/order.ts';
import type { Catalogue } from '../ports/catalogue.ts';

/** Every tool of some applications, or some tools. */
type Choice = { readonly applicationSlugs: readonly string[] } | { readonly tools: readonly ChosenTool[] };

/** One tool of one application. */
interface ChosenTool {
  readonly applicationSlug: string;
  readonly toolSlug: string;
  /** Empty: the slug names it. */
  readonly identity: string;
}

/** Choice and page of the list. */
export interface ChosenToolsQuery {
  readonly choice: Choice;
  /** Leaves out the tools of which the platform's catalogue does not say that they change nothing. */
  readonly isReadOnly: boolean;
  /** Leaves out the tools of applications that may not be served on MCP servers. */
  readonly isMcpEnabled: boolean;
  readonly page: Page;
}

/** The chosen tools that the caller sees, by name, each once. */
export async function listChosenTools(
  deps: { readonly catalogue: Catalogue },
  ctx: RequestContext,
  { choice, isReadOnly, isMcpEnabled, page }: ChosenToolsQuery,
): Promise<CountedPage<CataloguedTool>> {
  const chosen = chosenTools(await deps.catalogue.view(ctx), choice).filter(
    (tool) =>
      (!isReadOnly || changesNothing(tool)) && (!isMcpEnabled || tool.application.connector.isMcpEnabled),
  );
  return pageOf(chosen, page);
}

/** An MCP server or an imported description says of its own tools what it likes. */
function changesNothing({ application, tool }: CataloguedTool): boolean {
  return application.owner === 'platform' && tool.retryClass === 'readOnly';
}

function chosenTools(view: CatalogueView, choice: Choice): readonly CataloguedTool[] {
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
