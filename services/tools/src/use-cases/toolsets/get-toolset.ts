import { notFound } from '@fairlead/errors/api-error';
import { actingAccountOf, confinementOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { confinedToolset } from '../../domain/confinement.ts';
import type { Toolset } from '../../domain/toolset.ts';
import type { ToolsetStore } from '../../ports/toolset-store.ts';

export interface GetToolsetDeps {
  readonly toolsets: Pick<ToolsetStore, 'find'>;
}

/** The account's toolset with that id; NOT_FOUND if there is none, FORBIDDEN if the caller is restricted to another. */
export async function getToolset(
  { toolsets }: GetToolsetDeps,
  ctx: RequestContext,
  id: string,
): Promise<Toolset> {
  confinedToolset(confinementOf(ctx), id);
  const toolset = await toolsets.find(ctx, actingAccountOf(ctx), id);
  if (toolset === undefined) throw notFound('toolset');
  return toolset;
}
