import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ToolsetStore } from '../../ports/toolset-store.ts';

export interface ListConnectionUsesDeps {
  readonly toolsets: Pick<ToolsetStore, 'listUses'>;
}

const MOST = 100;

/** The records of the account that use a connection, as `toolset:<id>`; the first hundred. */
export async function listConnectionUses(
  { toolsets }: ListConnectionUsesDeps,
  ctx: RequestContext,
  connectionId: number,
): Promise<readonly string[]> {
  const ids = await toolsets.listUses(ctx, accountOf(ctx), connectionId, MOST);
  return ids.map((id) => `toolset:${id}`);
}
