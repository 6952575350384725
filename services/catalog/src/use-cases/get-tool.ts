import { ApiError, notFound } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CataloguedTool } from '../domain/application.ts';
import { resolveTool } from './resolve-tool.ts';
import type { ResolveToolDeps } from './resolve-tool.ts';

/** The one tool with that slug, NOT_FOUND, or AMBIGUOUS_TOOL with the application slugs, sorted, as candidates. */
export async function getTool(
  deps: ResolveToolDeps,
  ctx: RequestContext,
  toolSlug: string,
  applicationSlug: string,
): Promise<CataloguedTool> {
  const [tool, ...others] = await resolveTool(deps, ctx, toolSlug, applicationSlug);
  if (tool === undefined) throw notFound('tool');
  if (others.length > 0) {
    const candidates = [tool, ...others].map(({ application }) => application.connector.slug);
    const message = `Several applications have a tool ${toolSlug}: ${candidates.join(', ')}. Pass applicationSlug to choose one.`;
    throw new ApiError('AMBIGUOUS_TOOL', message, { candidates });
  }
  return tool;
}
