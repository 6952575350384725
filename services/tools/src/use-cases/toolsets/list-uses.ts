import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ToolsetStore, ToolsetMember } from '../../ports/toolset-store.ts';

export interface ListUsesDeps {
  readonly toolsets: Pick<ToolsetStore, 'listUses'>;
}

const MOST = 100;

/** The account's records that use a connection or a workflow, as `toolset:<id>`; at most a hundred. */
export async function listUses(
  { toolsets }: ListUsesDeps,
  ctx: RequestContext,
  used: ToolsetMember,
): Promise<readonly string[]> {
  const ids = await toolsets.listUses(ctx, accountOf(ctx), used, MOST);
  return ids.map((id) => `toolset:${id}`);
}
