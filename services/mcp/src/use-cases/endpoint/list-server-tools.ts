import { setImmediate } from 'node:timers/promises';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { McpServer } from '../../domain/mcp-server.ts';
import type { ToolDescriptions } from '../../domain/tool-descriptions.ts';
import { MAX_SERVED_BYTES } from '../../domain/server-tool.ts';
import type { ServerTool, ServerTools, SourceTool } from '../../domain/server-tool.ts';
import { toolNames } from '../../domain/tool-names.ts';
import type { ToolLists, ToolsetTools } from '../../ports/tool-lists.ts';
import { holdChangedTools } from '../changes/hold-changed-tools.ts';
import type { HoldChangedToolsDeps } from '../changes/hold-changed-tools.ts';
import { listCandidates } from './list-candidates.ts';
import type { Candidate, ListCandidatesDeps } from './list-candidates.ts';

export interface ListServedToolsDeps extends ListCandidatesDeps, HoldChangedToolsDeps {
  readonly toolLists: ToolLists;
  readonly descriptions: ToolDescriptions;
}

const DESCRIBED_AT_ONCE = 50;

/**
 * The tools of a server by name: those whose connections, tools and workflows exist and that the toolset permits (undefined: no toolset),
 * up to MAX_SERVED_BYTES. Neither the toolset nor held tools affect names.
 */
export async function listServerTools(
  deps: ListServedToolsDeps,
  ctx: RequestContext,
  server: McpServer,
  toolsetId: string | undefined,
): Promise<ServerTools> {
  const [candidates, toolset] = await Promise.all([
    listCandidates(deps, ctx, server),
    toolsetId === undefined ? undefined : deps.toolLists.ofToolset(ctx, toolsetId),
  ]);
  const isHeld = await holdChangedTools(deps, ctx, server, candidates);
  const permitted =
    toolsetId === undefined
      ? (it: Candidate) => it.tool
      : permittedBy(toolset ?? { connectionIds: [], tools: [] });
  const served: [string, ServerTool][] = [];
  let described = 0;
  let bytes = 0;
  const names = toolNames(candidates);
  for (const candidate of candidates) {
    const [tool, name] = [permitted(candidate), names.get(candidate)];
    if (tool === undefined || name === undefined) continue;
    // Yields, so that other requests get a turn.
    if ((described += 1) % DESCRIBED_AT_ONCE === 0) await setImmediate();
    const description = deps.descriptions.of(name, tool, server.settings.schemas);
    bytes += description.listed.bytes.length;
    if (bytes > MAX_SERVED_BYTES) {
      ctx.log.warn(
        { serverId: server.id, served: served.length },
        'a list of tools is too large, and was cut',
      );
      break;
    }
    const { target } = candidate;
    const flags = {
      isUpstream: tool.upstreamName !== '',
      // An unknown tool counts as destructive, as in the protocol.
      isDestructive: tool.effects?.isDestructive ?? true,
      isHeld: isHeld(candidate),
    };
    served.push([name, { name, target, ...flags, ...description }]);
  }
  return new Map(served);
}

/** The tool as a toolset permits it; undefined if it does not. */
function permittedBy({
  connectionIds,
  tools,
}: ToolsetTools): (candidate: Candidate) => SourceTool | undefined {
  const permitted = new Map(tools.map((tool) => [keyOf(tool), tool]));
  return (candidate) => {
    const { target, tool } = candidate;
    const isOutside =
      target.kind === 'tool' &&
      target.connectionId !== undefined &&
      !connectionIds.includes(target.connectionId);
    const found = isOutside ? undefined : permitted.get(keyOf(candidate));
    return found && { ...tool, inputSchema: found.inputSchema };
  };
}

// A space separates the slugs, because none contains one.
const keyOf = ({ applicationSlug, toolSlug }: Pick<SourceTool, 'applicationSlug' | 'toolSlug'>): string =>
  `${applicationSlug} ${toolSlug}`;
