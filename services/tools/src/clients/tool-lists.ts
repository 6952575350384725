import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import type { Tool } from '@fairlead/contracts/catalog/v1/tool_pb';
import { ToolService } from '@fairlead/contracts/catalog/v1/tool_service_pb';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { MAX_TOP } from '@fairlead/service-kit/page';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import type { ToolSummary } from '../domain/tool-summary.ts';
import type { ToolLists } from '../ports/tool-lists.ts';

/** A client of the catalog service for lists of tools. */
export function createToolListsClient(o: RpcClientOptions): ToolLists {
  const tools = createRpcClient(ToolService, o);
  return {
    async listChosen(ctx, choice, { offset, top }) {
      const chosen =
        'tools' in choice
          ? {
              case: 'tools' as const,
              value: {
                tools: choice.tools.map(({ applicationSlug, toolSlug, identity = '' }) => ({
                  applicationSlug,
                  toolSlug,
                  identity,
                })),
              },
            }
          : { case: 'applications' as const, value: { slugs: [...choice.applicationSlugs] } };
      const { isReadOnly = false } = choice;
      const items: ToolSummary[] = [];
      for (let left = top; ; left -= MAX_TOP) {
        const page = { offset: offset + items.length, top: Math.min(left, MAX_TOP) };
        const answer = await tools.listChosenTools(ctx, { choice: chosen, isReadOnly, page });
        items.push(...answer.items.map(toToolSummary));
        if (left <= MAX_TOP || offset + items.length >= answer.totalCount)
          return { items, totalCount: answer.totalCount };
      }
    },
    async getTool(ctx, toolSlug, applicationSlug) {
      const { tool } = await tools.getTool(ctx, { toolSlug, applicationSlug });
      if (tool === undefined) throw new TypeError('The catalog service returned no tool.');
      return toToolSummary(tool);
    },
  };
}

function toToolSummary({
  $typeName: _type,
  $unknown: _unknown,
  score: _score,
  inputSchemaJson,
  outputSchemaJson,
  ...tool
}: Tool): ToolSummary {
  return {
    ...tool,
    inputSchema: new LazyJson(inputSchemaJson),
    outputSchema: new LazyJson(outputSchemaJson),
    createdAt: timeOf(tool.createdAt),
    updatedAt: timeOf(tool.updatedAt),
  };
}

function timeOf(time: Timestamp | undefined): Date {
  if (time === undefined) throw new TypeError('The catalog service returned a tool without its times.');
  return timestampDate(time);
}
