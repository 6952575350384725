import { notFound } from '@fairlead/errors/api-error';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ToolsetStore } from '../ports/toolset-store.ts';

/** What deleteToolset needs. */
export interface DeleteToolsetDeps {
  readonly toolsets: Pick<ToolsetStore, 'delete'>;
}

/** Removes a toolset; NOT_FOUND if there is none. */
export async function deleteToolset(
  { toolsets }: DeleteToolsetDeps,
  ctx: RequestContext,
  id: string,
): Promise<void> {
  if (!(await toolsets.delete(ctx, accountOf(ctx), id))) throw notFound('toolset');
}
