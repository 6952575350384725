import type { Tool } from '@fairlead/contracts/catalog/v1/tool_pb';
import { ToolService } from '@fairlead/contracts/catalog/v1/tool_service_pb';
import { ToolsetService } from '@fairlead/contracts/tools/v1/toolset_service_pb';
import { WorkflowService } from '@fairlead/contracts/tools/v1/workflow_service_pb';
import { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { MAX_TOP } from '@fairlead/service-kit/page';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import { MAX_SERVED_BYTES, MAX_SERVED_TOOLS } from '../domain/server-tool.ts';
import type { CataloguedTool, ToolLists } from '../ports/tool-lists.ts';

/** Maximum workflows per request, so that they fit into a response. */
const WORKFLOWS_AT_ONCE = 20;
/** Larger than a server's limit, because a toolset decides which of these tools are permitted. */
const MAX_TOOLSET = { tools: 10_000, bytes: 64 * 1024 * 1024 };
const MAX_SERVED = { tools: MAX_SERVED_TOOLS, bytes: MAX_SERVED_BYTES };
const PAGES_AT_ONCE = 4;

/** Lists of the catalog service (`catalog`) and of the tools service (`tools`). */
export function createToolListsClient(o: {
  readonly catalog: RpcClientOptions;
  readonly tools: RpcClientOptions;
}): ToolLists {
  const catalogue = createRpcClient(ToolService, o.catalog);
  const workflows = createRpcClient(WorkflowService, o.tools);
  const toolsets = createRpcClient(ToolsetService, o.tools);
  return {
    async ofApplications(ctx, slugs) {
      if (slugs.length === 0) return [];
      const toolsOf = (chosen: readonly string[]) => {
        const choice = { case: 'applications' as const, value: { slugs: [...chosen] } };
        return everyPage((page) => catalogue.listChosenTools(ctx, { choice, page, isMcpEnabled: true }));
      };
      const { items, isCut } = await toolsOf(slugs);
      if (!isCut) return items.map(cataloguedTool);
      // The catalog cuts by name, but the order of the applications must decide.
      let tools: readonly Tool[] = [];
      for (const slug of slugs) {
        if (tools.length >= MAX_SERVED.tools || bytesOf(tools) >= MAX_SERVED.bytes) break;
        tools = slugs.length === 1 ? items : [...tools, ...(await toolsOf([slug])).items];
      }
      logCut(ctx, { applicationSlugs: slugs, readCount: tools.length });
      return tools.map(cataloguedTool);
    },
    async chosen(ctx, tools) {
      if (tools.length === 0) return [];
      const named = tools.map(({ identity = '', ...tool }) => ({ ...tool, identity }));
      const choice = { case: 'tools' as const, value: { tools: named } };
      const { items, isCut } = await everyPage((page) =>
        catalogue.listChosenTools(ctx, { choice, page, isMcpEnabled: true }),
      );
      if (isCut) logCut(ctx, { chosenCount: tools.length, readCount: items.length });
      return items.map(cataloguedTool);
    },
    async workflows(ctx, tokens) {
      const parts = Array.from({ length: Math.ceil(tokens.length / WORKFLOWS_AT_ONCE) }, (_part, at) =>
        tokens.slice(at * WORKFLOWS_AT_ONCE, (at + 1) * WORKFLOWS_AT_ONCE),
      );
      const found = await Promise.all(
        parts.map((part) => workflows.findWorkflowTools(ctx, { workflowTokens: part })),
      );
      return found.flatMap(({ items }) =>
        items.flatMap(({ workflowToken, tool }) =>
          tool === undefined ? [] : [{ workflowToken, tool: cataloguedTool(tool) }],
        ),
      );
    },
    async ofToolset(ctx, id) {
      try {
        const [{ toolset }, tools] = await Promise.all([
          toolsets.getToolset(ctx, { id }),
          everyPage((page) => toolsets.listToolsetTools(ctx, { id, page }), MAX_TOOLSET),
        ]);
        if (tools.isCut) logCut(ctx, { toolsetId: id, readCount: tools.items.length });
        return { connectionIds: toolset?.connectionIds ?? [], tools: tools.items.map(cataloguedTool) };
      } catch (error) {
        if (error instanceof ApiError && error.code === 'NOT_FOUND') return undefined;
        throw error;
      }
    },
  };
}

/** Tools beyond the limit are neither listed nor called. */
function logCut(ctx: RequestContext, of: Readonly<Record<string, unknown>>): void {
  ctx.log.warn(of, 'a list of tools is too large, and was read in part');
}

/** Reads all pages until the items reach a limit (by default a server's); returns the items, and whether there are more. */
async function everyPage(
  read: (page: { readonly offset: number; readonly top: number }) => Promise<{
    readonly items: readonly Tool[];
    readonly totalCount: number;
  }>,
  most = MAX_SERVED,
): Promise<{ readonly items: readonly Tool[]; readonly isCut: boolean }> {
  const { items: first, totalCount } = await read({ offset: 0, top: MAX_TOP });
  const items = [...first];
  const count = Math.min(totalCount, most.tools);
  let next = MAX_TOP;
  while (next < count && bytesOf(items) < most.bytes) {
    const pages = Math.min(PAGES_AT_ONCE, Math.ceil((count - next) / MAX_TOP));
    const offsets = Array.from({ length: pages }, (_page, at) => next + at * MAX_TOP);
    const further = await Promise.all(offsets.map((offset) => read({ offset, top: MAX_TOP })));
    items.push(...further.flatMap((page) => page.items));
    next += pages * MAX_TOP;
  }
  return { items, isCut: next < totalCount };
}

/** Approximate size of tools: schemas and descriptions; the rest is small. */
function bytesOf(tools: readonly Tool[]): number {
  return tools.reduce(
    (bytes, { inputSchemaJson, outputSchemaJson, description }) =>
      bytes + inputSchemaJson.length + outputSchemaJson.length + description.length,
    0,
  );
}

function cataloguedTool(tool: Tool): CataloguedTool {
  const { effects } = tool;
  return {
    applicationSlug: tool.applicationSlug,
    toolSlug: tool.toolSlug,
    upstreamName: tool.upstreamName,
    title: tool.toolName,
    description: tool.description,
    inputSchema: LazyJson.object(tool.inputSchemaJson),
    outputSchema: LazyJson.object(tool.outputSchemaJson),
    supportsFilters: tool.supportsFilters,
    supportsSort: tool.supportsSort,
    supportsTopOffset: tool.supportsTopOffset,
    maxFilters: tool.maxFilters,
    maxSorts: tool.maxSorts,
    effects: effects && {
      isReadOnly: effects.isReadOnly,
      isIdempotent: effects.isIdempotent,
      isDestructive: effects.isDestructive,
    },
    aliases: tool.aliases,
    identities: tool.identities,
  };
}
