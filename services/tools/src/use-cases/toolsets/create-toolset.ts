import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { guid } from '@fairlead/service-kit/ids';
import { checkToolset } from '../../domain/toolset.ts';
import type { Toolset, ToolsetContent } from '../../domain/toolset.ts';
import type { ToolsetStore } from '../../ports/toolset-store.ts';
import { checkReferences } from '../workflows/check-references.ts';
import type { CheckReferencesDeps } from '../workflows/check-references.ts';
import { dropDeletedMembers } from './drop-deleted-members.ts';

export interface CreateToolsetDeps extends CheckReferencesDeps {
  readonly toolsets: Pick<ToolsetStore, 'insert' | 'removeMembers'>;
  readonly clock: Clock;
}

const NEW = { connectionIds: [], workflowTokens: [], policy: null };

/**
 * Stores a toolset and returns it. VALIDATION_ERROR for invalid members, NOT_FOUND for a connection, tool or workflow that does not exist,
 * CONFLICT if the account has MAX_TOOLSETS; then nothing is stored.
 */
export async function createToolset(
  deps: CreateToolsetDeps,
  ctx: RequestContext,
  sentContent: ToolsetContent,
): Promise<Toolset> {
  const content = await checkReferences(deps, ctx, checkToolset(sentContent), NEW);
  const now = deps.clock.now();
  const toolset = { id: guid(), revision: 0, ...content, createdAt: now, updatedAt: now };
  await deps.toolsets.insert(ctx, accountOf(ctx), toolset);
  return await dropDeletedMembers(deps, ctx, toolset);
}
