import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { encodeTool } from '@fairlead/connector-model/codec';
import type { ToolDefinition } from '@fairlead/connector-model/model';
import { ToolSchema } from '@fairlead/contracts/catalog/v1/tool_pb';
import type { Tool } from '@fairlead/contracts/catalog/v1/tool_pb';
import { ResolvedToolSchema } from '@fairlead/contracts/catalog/v1/tool_service_pb';
import type {
  ListChosenToolsRequest,
  ListToolRecordsRequest,
  ListToolsRequest,
  ResolvedTool,
} from '@fairlead/contracts/catalog/v1/tool_service_pb';
import { jsonBytes } from '@fairlead/service-kit/json/lazy-json';
import { readPage } from '@fairlead/service-kit/page';
import { identitiesOf } from '../domain/application.ts';
import type { CataloguedTool } from '../domain/application.ts';
import type { ChosenToolsQuery } from '../use-cases/list-chosen-tools.ts';
import type { ToolQuery } from '../use-cases/list-tools.ts';

/** Decodes the list request; VALIDATION_ERROR naming the field. */
export function fromListToolsRequest(request: ListToolsRequest | ListToolRecordsRequest): ToolQuery {
  return {
    applicationSlug: request.applicationSlug,
    search: request.search,
    page: readPage(request.page),
  };
}

/** Decodes the choice of tools, by default none; VALIDATION_ERROR naming the field. */
export function fromListChosenToolsRequest({
  page,
  choice,
  isReadOnly,
  isMcpEnabled,
}: ListChosenToolsRequest): ChosenToolsQuery {
  return {
    isReadOnly,
    isMcpEnabled,
    choice:
      choice.case === 'applications'
        ? { applicationSlugs: choice.value.slugs }
        : { tools: choice.value?.tools ?? [] },
    page: readPage(page),
  };
}

/** Encodes a tool. Its times are those of its application, because they change together. */
export function toTool({
  application,
  tool,
  score,
}: CataloguedTool & { readonly score?: number | undefined }): Tool {
  return create(ToolSchema, {
    toolSlug: tool.toolSlug,
    toolName: tool.toolName,
    description: tool.description,
    category: tool.category,
    applicationSlug: application.connector.slug,
    applicationName: application.connector.name,
    version: tool.version,
    isDeprecated: tool.isDeprecated,
    ...listedSchemasOf(tool),
    supportsFilters: tool.filters !== null,
    supportsSort: tool.sorts !== null,
    supportsTopOffset: tool.paging !== null,
    maxFilters: tool.filters?.max ?? 0,
    maxSorts: tool.sorts?.max ?? 0,
    createdAt: timestampFromDate(application.createdAt),
    updatedAt: timestampFromDate(application.updatedAt),
    aliases: [...tool.aliases],
    identities: [...identitiesOf({ application, tool })],
    effects: {
      isReadOnly: tool.retryClass === 'readOnly',
      isIdempotent: tool.retryClass !== 'unsafe',
      isDestructive: tool.isDestructive,
    },
    upstreamName: tool.execution.type === 'mcp' ? tool.execution.toolName : '',
    ...(score === undefined ? {} : { score }),
  });
}

/** JSON of the schemas of listed tools, cached while the tools' version of the catalogue is in use. */
const listedSchemas = new WeakMap<ToolDefinition, Pick<Tool, 'inputSchemaJson' | 'outputSchemaJson'>>();

/** The schemas of a tool as JSON, made once. */
export function listedSchemasOf(tool: ToolDefinition): Pick<Tool, 'inputSchemaJson' | 'outputSchemaJson'> {
  const known = listedSchemas.get(tool);
  if (known !== undefined) return known;
  const schemas = {
    inputSchemaJson: jsonBytes(tool.inputSchema),
    outputSchemaJson: jsonBytes(tool.outputSchema),
  };
  listedSchemas.set(tool, schemas);
  return schemas;
}

/** Encodes the definition that is needed to execute a tool. */
export function toResolvedTool({ application, tool }: CataloguedTool): ResolvedTool {
  return create(ResolvedToolSchema, {
    applicationSlug: application.connector.slug,
    encodedDefinition: encodeTool(tool),
    isPlatform: application.owner === 'platform',
  });
}
