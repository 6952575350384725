import { createHash } from 'node:crypto';
import { jsonBytes, LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ListToolRecordsResponseSchema } from '@fairlead/contracts/catalog/v1/tool_service_pb';
import type { ToolDefinition } from '@fairlead/connector-model/model';
import type { CataloguedApplication, ToolView } from '../domain/application.ts';
import { listedSchemasOf } from './convert-tool.ts';

/** A record of the public API as JSON text, and a digest of it. */
interface ToolRecord {
  readonly json: Buffer;
  readonly digest: Buffer;
}

/** The records of an application's tools, as long as its version of the catalogue is in use. */
const records = new WeakMap<CataloguedApplication, Map<string, ToolRecord>>();

const COMMA = Buffer.from(',');
const BRACKETS = { open: Buffer.from('['), close: Buffer.from(']') } as const;

/**
 * A page of tools as the public API shows them in a list (`toolListItem` of packages/rest-records), as a JSON array. It is left out
 * if its digest is the known one. A search has no digest, because its scores differ.
 */
export function toToolPage(
  views: readonly ToolView[],
  knownDigest: string,
): Pick<MessageInitShape<typeof ListToolRecordsResponseSchema>, 'itemsJson' | 'digest'> {
  const found = views.map(({ application, tool }) => recordOf(application, tool));
  if (views.some(({ score }) => score !== undefined))
    return { itemsJson: arrayOf(found.map(({ json }, at) => withScore(json, views[at]?.score ?? 0))) };
  const hash = createHash('sha256');
  for (const { digest } of found) hash.update(digest);
  const digest = hash.digest('base64url');
  return digest === knownDigest ? { digest } : { digest, itemsJson: arrayOf(found.map(({ json }) => json)) };
}

function arrayOf(items: readonly Buffer[]): Buffer {
  return Buffer.concat([
    BRACKETS.open,
    ...items.flatMap((json, at) => (at === 0 ? [json] : [COMMA, json])),
    BRACKETS.close,
  ]);
}

function withScore(json: Buffer, score: number): Buffer {
  // Without the brace that ends it.
  return Buffer.concat([json.subarray(0, -1), Buffer.from(`,"score":${String(score)}}`)]);
}

function recordOf(application: CataloguedApplication, tool: ToolDefinition): ToolRecord {
  const known = records.get(application) ?? new Map<string, ToolRecord>();
  records.set(application, known);
  const record = known.get(tool.toolSlug);
  if (record !== undefined) return record;
  const json = jsonOf(application, tool);
  const created = { json, digest: createHash('sha256').update(json).digest() };
  known.set(tool.toolSlug, created);
  return created;
}

function jsonOf(application: CataloguedApplication, tool: ToolDefinition): Buffer {
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
