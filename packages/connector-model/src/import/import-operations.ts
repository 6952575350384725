import { z } from 'zod';
import { isJsonObject } from '../json.ts';
import type { Problem } from '../gates/problem.ts';
import type { Json, JsonObject } from '../json.ts';
import type { ImportedOperation, ImportSource } from '../schema/import-source.ts';
import { manifestTool } from '../schema/manifest-tool.ts';
import type { ManifestTool } from '../schema/manifest-tool.ts';
import type { ApiDocument, ApiOperation } from './api-document.ts';
import { buildInputs, hasPath } from './build-inputs.ts';
import type { Report } from './build-inputs.ts';
import { readDiscovery } from './discovery.ts';
import { readOpenApi } from './openapi.ts';
import { keepsAll, memberTree, selectorOf } from './member-tree.ts';
import type { MemberTree } from './member-tree.ts';
import { MAX_IMPORTED_LEVELS, readSchema } from './read-schema.ts';
import { memberOf, viewOf } from './schema-view.ts';
import type { SchemaView } from './schema-view.ts';

/** Minimum number of imported tools; with fewer, an application is written by hand. */
const MIN_OPERATIONS = 5;

/** The tools from a vendor description and our curation, in the manifest's form. */
export interface ImportResult {
  readonly baseUrl: string | undefined;
  readonly tools: readonly ManifestTool[];
  /** Problems, with paths that start at the manifest. */
  readonly problems: readonly Problem[];
}

/** Creates tools for the operations that the curation names; the rest of the vendor description is dropped. */
export function importOperations(
  document: Json,
  o: {
    readonly slug: string;
    readonly source: ImportSource;
    readonly operations: readonly ImportedOperation[];
    readonly scopes: readonly string[];
  },
): ImportResult {
  const problems: Problem[] = [];
  if (o.operations.length < MIN_OPERATIONS)
    problems.push({
      path: ['operations'],
      message: `must have at least ${String(MIN_OPERATIONS)} operations`,
    });
  if (!isJsonObject(document)) {
    const message = 'the description is no JSON object';
    return { baseUrl: undefined, tools: [], problems: [...problems, { path: ['source', 'file'], message }] };
  }
  const api = readDocument(document, o.source.kind);
  const tools = o.operations.flatMap((curation, index) => {
    const report: Report = (path, message) =>
      problems.push({ path: ['operations', index, ...path], message });
    const operation = api.operation(curation.operation);
    if (operation === undefined) {
      report(['operation'], `the description has no operation ${curation.operation}`);
      return [];
    }
    if (operation.isDeprecated) report(['operation'], 'is deprecated by the vendor');
    return createTool(operation, { api, curation, slug: o.slug, scopes: o.scopes, report }) ?? [];
  });
  return { baseUrl: api.baseUrl, tools, problems };
}

/** Creates the tool of an operation. Reports the reason if that is impossible, or if the tool would contradict the curation. */
export function createTool(operation: ApiOperation, making: Making): ManifestTool | undefined {
  const parsed = manifestTool.safeParse(toolOf(operation, making));
  if (!parsed.success) making.report([], z.prettifyError(parsed.error));
  return parsed.data;
}

function readDocument(document: JsonObject, kind: ImportSource['kind']): ApiDocument {
  switch (kind) {
    case 'discovery':
      return readDiscovery(document);
    case 'openapi':
      return readOpenApi(document);
  }
}

/** The curation of an operation, and a function that reports problems. */
interface Making {
  readonly api: ApiDocument;
  readonly curation: ImportedOperation;
  readonly slug: string;
  /** The scopes that the application's sign-ins request. */
  readonly scopes: readonly string[];
  readonly report: Report;
}

/** A tool in the manifest's form. */
function toolOf(operation: ApiOperation, making: Making): z.input<typeof manifestTool> {
  const { api, curation } = making;
  const { toolSlug, aliases, description, category, retryClass, isDestructive } = curation;
  const output = outputOf(operation, making);
  const inputs = buildInputs(operation, { curation, resolve: api.resolve, report: making.report });
  const paging = curation.paging ?? (output.isList ? operation.list?.paging : undefined);
  const pagingParameters = output.isList ? (operation.list?.parameters ?? []) : [];
  for (const name of Object.keys(inputs.query))
    if (pagingParameters.includes(name)) making.report(['inputs'], `${name} is sent by the paging`);
  return {
    toolSlug,
    aliases,
    toolName: curation.toolName ?? nameOf(toolSlug, making.slug),
    description,
    category,
    retryClass: retryClass ?? retryClassOf(operation.method),
    isDestructive: isDestructive ?? operation.method === 'DELETE',
    inputSchema: plain(inputs.inputSchema),
    outputSchema: plain(output.schema),
    // Members in the manifest's form, which the manifest's schema checks.
    ...scopesOf(operation, making),
    ...(paging === undefined ? {} : { paging: paging as z.input<typeof manifestTool>['paging'] }),
    request: {
      method: operation.method,
      url: inputs.url,
      query: plain({ ...inputs.query, ...output.query }),
      ...(Object.keys(inputs.queryStyles).length === 0 ? {} : { queryStyles: inputs.queryStyles }),
      headers: inputs.headers,
      body: inputs.body as z.core.util.JSONType,
      ...(inputs.body === null ? {} : encodingOf(operation, making.report)),
    },
    response: output.response,
  };
}

/** The encoding of the body, by its media type in the description. */
function encodingOf(
  { bodyType, hasBrackets = false }: ApiOperation,
  report: Report,
): Pick<NonNullable<z.input<typeof manifestTool>['request']>, 'encoding'> {
  switch (bodyType) {
    case 'json':
      return {};
    case 'application/x-www-form-urlencoded':
      return { encoding: { type: 'form', style: hasBrackets ? 'indices' : 'repeat' } };
    case 'multipart/form-data':
      return { encoding: { type: 'multipart' } };
    default:
      report([], `a body of type ${bodyType} cannot be sent`);
      return {};
  }
}

/** The scopes of a sign-in, one of which the operation accepts; the first of them is requested. */
function scopesOf(
  operation: ApiOperation,
  { curation, scopes, report }: Making,
): Pick<z.input<typeof manifestTool>, 'scopes'> {
  if (curation.scopes !== undefined) return { scopes: curation.scopes };
  if (operation.scopes.length === 0 || scopes.length === 0) return {};
  const accepted = scopes.filter((scope) => operation.scopes.includes(scope));
  const [first, second] = accepted;
  if (first === undefined) {
    report(
      ['operation'],
      `needs one of the scopes ${operation.scopes.join(', ')}, which no sign-in asks for`,
    );
    return {};
  }
  return { scopes: second === undefined ? [first] : [accepted] };
}

interface Output {
  readonly schema: JsonObject;
  readonly response: z.input<typeof manifestTool>['response'];
  readonly query: JsonObject;
  readonly isList: boolean;
}

function outputOf(operation: ApiOperation, { api, curation, report }: Making): Output {
  const whole = operation.response === undefined ? undefined : viewOf(operation.response, api.resolve);
  const known = curation.schema === undefined ? undefined : viewOf({ $ref: curation.schema }, api.resolve);
  if (curation.schema !== undefined && known === undefined)
    report(['schema'], `the description has no schema ${curation.schema}`);
  const own = curation.outputSchema;
  if (curation.response !== undefined && own !== undefined)
    return { schema: own, response: curation.response, query: {}, isList: curation.response.type === 'list' };
  if (curation.response !== undefined || own !== undefined)
    report([], '`response` and `outputSchema` stand together');
  if (whole === undefined)
    return {
      schema: { type: 'object', properties: {} },
      response: { type: 'empty' },
      query: {},
      isList: false,
    };
  const itemsPointer = curation.items ?? (curation.pointer === undefined ? operation.list?.items : undefined);
  const pointer = itemsPointer ?? curation.pointer ?? '';
  const record = known ?? viewAt(whole, pointer, api);
  if (record === undefined) {
    report([itemsPointer === undefined ? 'pointer' : 'items'], `the response has nothing at ${pointer}`);
    return {
      schema: { type: 'object', properties: {} },
      response: { type: 'empty' },
      query: {},
      isList: false,
    };
  }
  for (const path of curation.result ?? [])
    if (!hasPath(record, path, api.resolve)) report(['result'], `the response has no member ${path}`);
  const keep = memberTree(curation.result ?? []);
  const isList = itemsPointer !== undefined;
  const trimmed = keepsAll(keep) ? {} : { isTrimmed: true };
  // A list is in `properties`, and a record that is named is in the list's `items`.
  const levels = MAX_IMPORTED_LEVELS - (isList ? 2 : 0) - (isList && known !== undefined ? 1 : 0);
  const schema = readSchema(record, { resolve: api.resolve, use: 'output', keep, levels });
  const paging = curation.paging ?? (isList ? operation.list?.paging : undefined);
  const query =
    api.selection === undefined || keepsAll(keep) ? {} : { [api.selection]: selected(keep, pointer, paging) };
  if (!isList)
    return {
      schema: recordSchema(schema),
      response: { type: 'object', pointer, ...trimmed },
      query,
      isList,
    };
  const total = curation.total === undefined ? {} : { totalPointer: curation.total };
  const itemsSchema = known === undefined ? schema : { type: 'array', items: schema };
  return {
    schema: {
      type: 'object',
      properties: {
        items: { items: {}, ...itemsSchema, type: 'array' },
        ...(curation.total === undefined
          ? {}
          : { totalCount: { type: 'integer', description: 'Matches over all pages.' } }),
      },
      required: ['items'],
    },
    response: {
      type: 'list',
      itemsPointer: pointer,
      ...total,
      ...trimmed,
      ...(api.omitsEmptyLists === true ? { isOmittedWhenEmpty: true } : {}),
    },
    query,
    isList,
  };
}

/** Outputs are objects; any other value becomes their member `value`. */
function recordSchema(schema: JsonObject): JsonObject {
  switch (schema['type']) {
    case 'object':
      return schema;
    case undefined:
      // The output may be an object, or another value that is wrapped in one, so any object is valid.
      return { type: 'object', properties: {} };
    default:
      return { type: 'object', properties: { value: schema } };
  }
}

/** The vendor refuses a selector with unknown names, so the next-page member is selected only for paged responses. */
function selected(keep: MemberTree, pointer: string, paging: JsonObject | undefined): string {
  const selector = selectorOf(keep);
  const cursor = paging?.['nextCursorPointer'];
  return [
    ...(typeof cursor === 'string' ? [cursor.slice(1)] : []),
    pointer === '' ? selector : `${pointer.slice(1)}(${selector})`,
  ].join(',');
}

function viewAt(view: SchemaView, pointer: string, { resolve }: ApiDocument): SchemaView | undefined {
  let at: SchemaView | undefined = view;
  for (const step of pointer.split('/').slice(1))
    at = at === undefined ? undefined : memberOf(at, step, resolve);
  return at;
}

function retryClassOf(method: ApiOperation['method']): 'readOnly' | 'idempotent' | 'unsafe' {
  switch (method) {
    case 'GET':
    case 'HEAD':
      return 'readOnly';
    case 'PUT':
    case 'DELETE':
      return 'idempotent';
    default:
      return 'unsafe';
  }
}

/** The tool's name from its slug: `google-calendar-list-events` → List events. */
function nameOf(toolSlug: string, slug: string): string {
  const words = toolSlug.replace(`${slug}-`, '').replaceAll(/[-_.]/g, ' ');
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

/** The types of manifest schemas are mutable. */
function plain(value: JsonObject): Record<string, z.core.util.JSONType> {
  return value as Record<string, z.core.util.JSONType>;
}
