import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { compareDefinitions } from '../../domain/changed-tools.ts';
import type { ChangedTool } from '../../domain/changed-tools.ts';
import type { McpServer } from '../../domain/mcp-server.ts';
import { listCandidates } from '../endpoint/list-candidates.ts';
import type { ListCandidatesDeps } from '../endpoint/list-candidates.ts';
import type { HoldChangedToolsDeps } from './hold-changed-tools.ts';

export type ListChangedToolsDeps = ListCandidatesDeps &
  Pick<HoldChangedToolsDeps, 'toolDefinitions' | 'definitions' | 'clock'>;

/** The tools that a server currently holds, even if no client has listed its tools since they changed. Stores no new definitions. */
export async function listChangedTools(
  deps: ListChangedToolsDeps,
  ctx: RequestContext,
  server: McpServer,
): Promise<readonly ChangedTool[]> {
  if (!server.settings.holdChangedTools) return [];
  const { toolDefinitions, definitions, clock } = deps;
  const accountId = accountOf(ctx);
  const of = { accountId, serverId: server.id };
  const stored = await toolDefinitions.list(ctx, of);
  if (stored.length === 0) return [];
  // A server's list is the same for all its callers.
  const asAccount = { ...ctx, caller: { kind: 'serviceForAccount', service: 'mcp', accountId } as const };
  const candidates = await listCandidates(deps, asAccount, server);
  const tools = definitions.of(candidates.map(({ tool }) => tool));
  const now = clock.now();
  const comparison = compareDefinitions(stored, tools, now);
  const { held, changed, restored } = comparison;
  const added = comparison.added.filter((it) => it.changed !== undefined);
  await toolDefinitions.save(ctx, of, { added, changed, restored }, now);
  return held;
}
