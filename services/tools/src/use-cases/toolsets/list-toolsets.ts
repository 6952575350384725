import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Page } from '@fairlead/service-kit/page';
import type { Toolset } from '../../domain/toolset.ts';
import type { ToolsetStore } from '../../ports/toolset-store.ts';

/** What listToolsets needs. */
export interface ListToolsetsDeps {
  readonly toolsets: Pick<ToolsetStore, 'list'>;
}

/** One page of the account's toolsets, newest first, with the number over all pages. */
export async function listToolsets(
  { toolsets }: ListToolsetsDeps,
  ctx: RequestContext,
  page: Page,
): Promise<{ readonly items: readonly Toolset[]; readonly totalCount: number }> {
  return await toolsets.list(ctx, accountOf(ctx), page);
}
