import { jsonBytes, LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { CataloguedApplication, CataloguedTool, ToolView } from '../domain/application.ts';
import { listedSchemasOf } from './convert-tool.ts';

/** The records of an application's tools, as long as its version of the catalogue is in use. */
const records = new WeakMap<CataloguedApplication, Map<string, Buffer>>();

/** A tool as the public API shows it in a list (`toolListItem` of packages/rest-records), as JSON text. */
export function toToolRecord({ application, tool, score }: ToolView): Uint8Array {
  const known = records.get(application) ?? new Map<string, Buffer>();
  records.set(application, known);
  const record = known.get(tool.toolSlug) ?? recordOf({ application, tool });
  known.set(tool.toolSlug, record);
  if (score === undefined) return record;
  // Without the brace that ends it.
  return Buffer.concat([record.subarray(0, -1), Buffer.from(`,"score":${String(score)}}`)]);
}

function recordOf({ application, tool }: CataloguedTool): Buffer {
  const { inputSchemaJson, outputSchemaJson } = listedSchemasOf(tool);
  return jsonBytes({
    toolSlug: tool.toolSlug,
    toolName: tool.toolName,
    description: tool.description,
    category: tool.category,
    applicationSlug: application.connector.slug,
    applicationName: application.connector.name,
    version: tool.version,
    isDeprecated: tool.isDeprecated,
    inputSchema: new LazyJson(inputSchemaJson),
    outputSchema: new LazyJson(outputSchemaJson),
    supportsFilters: tool.filters !== null,
    supportsSort: tool.sorts !== null,
    supportsTopOffset: tool.paging !== null,
    maxFilters: tool.filters?.max ?? 0,
    maxSorts: tool.sorts?.max ?? 0,
    createdAt: application.createdAt.toISOString(),
    updatedAt: application.updatedAt.toISOString(),
  });
}
