import { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Candidate } from '../../domain/target.ts';
import type { Catalog } from '../../ports/catalog.ts';

export interface FindCandidatesDeps {
  readonly catalog: Pick<Catalog, 'resolveTool'>;
}

/** Tools of the catalogue with this slug; empty if there are none. An empty application slug means any. */
export async function findCandidates(
  { catalog }: FindCandidatesDeps,
  ctx: RequestContext,
  toolSlug: string,
  applicationSlug: string,
): Promise<readonly Candidate[]> {
  try {
    return await catalog.resolveTool(ctx, toolSlug, applicationSlug);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return [];
    throw error;
  }
}
