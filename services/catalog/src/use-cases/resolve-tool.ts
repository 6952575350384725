import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CataloguedTool } from '../domain/application.ts';
import { unknownApplication, unknownTool } from '../domain/unknown-slug.ts';
import type { Catalogue } from '../ports/catalogue.ts';

export interface ResolveToolDeps {
  readonly catalogue: Catalogue;
}

/**
 * Tools with that slug or alias that the caller sees, at least one, ordered by application slug; NOT_FOUND if there is none. An empty
 * `applicationSlug` means any application.
 */
export async function resolveTool(
  deps: ResolveToolDeps,
  ctx: RequestContext,
  toolSlug: string,
  applicationSlug: string,
): Promise<readonly CataloguedTool[]> {
  const view = await deps.catalogue.view(ctx);
  const tools = view.findTools(toolSlug);
  if (applicationSlug === '') {
    if (tools.length === 0) throw unknownTool(view, toolSlug);
    return tools;
  }
  if (view.findApplication(applicationSlug) === undefined) throw unknownApplication(view, applicationSlug);
  const ofApplication = tools.filter(({ application }) => application.connector.slug === applicationSlug);
  if (ofApplication.length === 0) throw unknownTool(view, toolSlug, applicationSlug);
  return ofApplication;
}
