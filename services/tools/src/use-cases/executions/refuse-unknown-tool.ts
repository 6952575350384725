import { notFound } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { FindCandidatesDeps } from './find-candidates.ts';

/** Throws the catalogue's own NOT_FOUND for a slug of which it has just known no tool: it names the nearest ones. */
export async function refuseUnknownTool(
  { catalog }: FindCandidatesDeps,
  ctx: RequestContext,
  toolSlug: string,
  applicationSlug: string,
): Promise<never> {
  await catalog.resolveTool(ctx, toolSlug, applicationSlug);
  // It has come meanwhile.
  throw notFound('tool');
}
