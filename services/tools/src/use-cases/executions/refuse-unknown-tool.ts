import { notFound } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { FindCandidatesDeps } from './find-candidates.ts';

/** Throws the catalogue's NOT_FOUND, which names the nearest slugs, for a slug without tools. */
export async function refuseUnknownTool(
  { catalog }: FindCandidatesDeps,
  ctx: RequestContext,
  toolSlug: string,
  applicationSlug: string,
): Promise<never> {
  await catalog.resolveTool(ctx, toolSlug, applicationSlug);
  // The tool has appeared meanwhile.
  throw notFound('tool');
}
