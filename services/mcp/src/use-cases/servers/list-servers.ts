import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Page } from '@fairlead/service-kit/page';
import type { ServerStore } from '../../ports/server-store.ts';
import { ensureDefaultServer } from './ensure-default-server.ts';
import type { EnsureDefaultServerDeps } from './ensure-default-server.ts';

export interface ListServersDeps extends EnsureDefaultServerDeps {
  readonly servers: EnsureDefaultServerDeps['servers'] & Pick<ServerStore, 'list'>;
}

/** One page of the account's servers, newest first, including inactive ones. */
export async function listServers(
  deps: ListServersDeps,
  ctx: RequestContext,
  page: Page,
): ReturnType<ServerStore['list']> {
  await ensureDefaultServer(deps, ctx);
  return await deps.servers.list(ctx, accountOf(ctx), page);
}
