import { notFound } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CataloguedTool } from '../domain/application.ts';
import type { Catalogue } from '../ports/catalogue.ts';

/** What resolveTool needs. */
export interface ResolveToolDeps {
  readonly catalogue: Catalogue;
}

/**
 * Every tool with that slug or alias that the caller sees, at least one, ordered by application slug; NOT_FOUND if there is
 * none. An empty `applicationSlug` means any application.
 */
export async function resolveTool(
  deps: ResolveToolDeps,
  ctx: RequestContext,
  toolSlug: string,
  applicationSlug: string,
): Promise<readonly CataloguedTool[]> {
  const tools = (await deps.catalogue.view(ctx))
    .findTools(toolSlug)
    .filter(({ application }) => applicationSlug === '' || application.connector.slug === applicationSlug);
  if (tools.length === 0) throw notFound('tool');
  return tools;
}
