import { isDeepStrictEqual } from 'node:util';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { CallChanged } from '../../domain/call-changed.ts';
import type { Toolset } from '../../domain/toolset.ts';
import { getToolset } from './get-toolset.ts';
import type { GetToolsetDeps } from './get-toolset.ts';

/** Reads a toolset again. NOT_FOUND if it is gone, CallChanged if its permissions or requirements have changed. */
export async function requireCurrentToolset(
  deps: GetToolsetDeps,
  ctx: RequestContext,
  known: Toolset,
): Promise<void> {
  const present = await getToolset(deps, ctx, known.id);
  if (!isDeepStrictEqual(demandsOf(known), demandsOf(present))) throw new CallChanged();
}

/** Everything in a toolset that affects calls. */
function demandsOf({ connectionIds, tools, workflowTokens, policy }: Toolset) {
  return { connectionIds, tools, workflowTokens, policy };
}
