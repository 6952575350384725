import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Page } from '@fairlead/service-kit/page';
import type { ToolsetStore } from '../../ports/toolset-store.ts';

export interface ListToolsetsDeps {
  readonly toolsets: Pick<ToolsetStore, 'list'>;
}

/** One page of the account's toolsets, newest first. */
export function listToolsets(
  { toolsets }: ListToolsetsDeps,
  ctx: RequestContext,
  page: Page,
): ReturnType<ToolsetStore['list']> {
  return toolsets.list(ctx, accountOf(ctx), page);
}
