import type { Tool } from '@fairlead/contracts/catalog/v1/tool_pb';
import { ToolService } from '@fairlead/contracts/catalog/v1/tool_service_pb';
import { ToolsetService } from '@fairlead/contracts/tools/v1/toolset_service_pb';
import { WorkflowService } from '@fairlead/contracts/tools/v1/workflow_service_pb';
import { ApiError } from '@fairlead/errors/api-error';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { MAX_TOP } from '@fairlead/service-kit/page';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import { MAX_SERVED_TOOLS } from '../domain/served-tool.ts';
import type { CataloguedTool, ToolLists } from '../ports/tool-lists.ts';

/** Workflows of one request: as many as always fit into a response. */
const WORKFLOWS_AT_ONCE = 20;
/** A toolset says which tools of a server are permitted, so that more of them count than a server serves. */
const MAX_TOOLSET_TOOLS = 10_000;

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
      if (!isCut || slugs.length === 1) return items.map(cataloguedTool);
      // Cut by name. The order of the applications decides instead.
      const tools: Tool[] = [];
      for (const slug of slugs) {
        if (tools.length >= MAX_SERVED_TOOLS) break;
        tools.push(...(await toolsOf([slug])).items);
      }
      return tools.map(cataloguedTool);
    },
    async chosen(ctx, tools) {
      if (tools.length === 0) return [];
      const named = tools.map(({ identity = '', ...tool }) => ({ ...tool, identity }));
      const choice = { case: 'tools' as const, value: { tools: named } };
      const { items } = await everyPage((page) =>
        catalogue.listChosenTools(ctx, { choice, page, isMcpEnabled: true }),
      );
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
          everyPage((page) => toolsets.listToolsetTools(ctx, { id, page }), MAX_TOOLSET_TOOLS),
        ]);
        return { connectionIds: toolset?.connectionIds ?? [], tools: tools.items.map(cataloguedTool) };
      } catch (error) {
        if (error instanceof ApiError && error.code === 'NOT_FOUND') return undefined;
        throw error;
      }
    },
  };
}

/** The items of all pages, by default as many as a server can serve, and whether there are more. */
async function everyPage(
  read: (page: { readonly offset: number; readonly top: number }) => Promise<{
    readonly items: readonly Tool[];
    readonly totalCount: number;
  }>,
  most = MAX_SERVED_TOOLS,
): Promise<{ readonly items: readonly Tool[]; readonly isCut: boolean }> {
  const { items: first, totalCount } = await read({ offset: 0, top: MAX_TOP });
  const count = Math.min(totalCount, most);
  const others = Array.from({ length: Math.ceil(count / MAX_TOP) - 1 }, (_page, at) =>
    read({ offset: (at + 1) * MAX_TOP, top: MAX_TOP }),
  );
  const items = [first, ...(await Promise.all(others)).map((page) => page.items)].flat();
  return { items, isCut: totalCount > most };
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
