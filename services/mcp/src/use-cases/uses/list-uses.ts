import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ServerStore } from '../../ports/server-store.ts';

export interface ListUsesDeps {
  readonly servers: Pick<ServerStore, 'listUses'>;
}

const MOST = 100;

/** The account's servers that use a connection or a workflow, as `mcpServer:<name>`; at most a hundred. */
export async function listUses(
  { servers }: ListUsesDeps,
  ctx: RequestContext,
  used: { readonly connectionId: number } | { readonly workflowToken: string },
): Promise<readonly string[]> {
  const names = await servers.listUses(ctx, accountOf(ctx), used, MOST);
  return names.map((name) => `mcpServer:${name}`);
}
