import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { checkToolset } from '../../domain/toolset.ts';
import type { Toolset, ToolsetChange } from '../../domain/toolset.ts';
import type { ToolsetStore } from '../../ports/toolset-store.ts';
import { checkReferences } from '../workflows/check-references.ts';
import type { CheckReferencesDeps } from '../workflows/check-references.ts';
import { dropDeletedMembers } from './drop-deleted-members.ts';
import { getToolset } from './get-toolset.ts';

export interface UpdateToolsetDeps extends CheckReferencesDeps {
  readonly toolsets: Pick<ToolsetStore, 'find' | 'update' | 'removeMembers'>;
  readonly clock: Clock;
}

/** Retries after concurrent changes between check and write. */
const MAX_TRIES = 20;

/**
 * Changes a toolset and returns it; with concurrent changes of one member, the later one wins. NOT_FOUND and VALIDATION_ERROR as for
 * createToolset; then nothing has changed.
 */
export async function updateToolset(
  deps: UpdateToolsetDeps,
  ctx: RequestContext,
  id: string,
  sentChange: ToolsetChange,
): Promise<Toolset> {
  const change = checkToolset(sentChange);
  for (let left = MAX_TRIES; left > 0; left -= 1) {
    const existing = await getToolset(deps, ctx, id);
    const bound = await checkReferences(deps, ctx, change, existing);
    const toolset = await deps.toolsets.update(ctx, accountOf(ctx), existing, bound, deps.clock.now());
    if (toolset === undefined) continue;
    return change.connectionIds || change.workflowTokens
      ? await dropDeletedMembers(deps, ctx, toolset)
      : toolset;
  }
  throw new ApiError('UNAVAILABLE', 'Others change the toolset at the same time. Try again.');
}
