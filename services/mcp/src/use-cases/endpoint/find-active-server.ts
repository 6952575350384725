import type { RequestContext } from '@fairlead/service-kit/context/context';
import { browsingTools } from '../../domain/browsing-tools.ts';
import { toolPages } from '../../domain/list-page.ts';
import type { ActiveServer, ServerOf } from '../../ports/active-servers.ts';
import type { UpstreamConnections } from '../../ports/upstreams.ts';
import type { ServerStore } from '../../ports/server-store.ts';
import { listServerTools } from './list-server-tools.ts';
import type { ListServedToolsDeps } from './list-server-tools.ts';

export interface FindActiveServerDeps extends ListServedToolsDeps {
  readonly servers: Pick<ServerStore, 'findById'>;
  readonly upstreamConnections: UpstreamConnections;
}

/**
 * The server with its tools; undefined if it does not exist or is inactive. The caller's restriction takes precedence over the server's
 * toolset.
 */
export async function findActiveServer(
  deps: FindActiveServerDeps,
  ctx: RequestContext,
  { accountId, serverId, confinedTo }: ServerOf,
): Promise<ActiveServer | undefined> {
  const server = await deps.servers.findById(ctx, accountId, serverId);
  if (server?.isActive !== true) return undefined;
  const toolsetId = confinedTo ?? server.settings.toolsetId ?? undefined;
  const ids = server.connections.map(({ connectionId }) => connectionId);
  const whole = new Set(
    server.connections.filter(({ tools }) => tools === null).map((it) => it.connectionId),
  );
  const [tools, sources] = await Promise.all([
    listServerTools(deps, ctx, server, toolsetId),
    deps.upstreamConnections.findUpstreams(ctx, ids),
  ]);
  // Prompts and resources are left out: a toolset only permits tools.
  const upstreams = toolsetId === undefined ? sources.filter((it) => whole.has(it.connectionId)) : [];
  const browsing = browsingTools(tools, server.settings.contextBudget);
  const pages = toolPages(browsing?.listed ?? [...tools.values()]);
  return { server, toolsetId, tools, browsing, pages, upstreams, sources };
}
