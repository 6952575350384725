import { createTool } from '@fairlead/connector-model/import/import-operations';
import { readOpenApi } from '@fairlead/connector-model/import/openapi';
import type { ApiDocument } from '@fairlead/connector-model/import/api-document';
import { isJsonArray, objectOrEmpty } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { Connector } from '@fairlead/connector-model/model';
import type { ManifestTool } from '@fairlead/connector-model/schema/manifest-tool';
import type { ApiAuthentication } from '@fairlead/connector-model/schema/api-authentication';
import { toolSlugs } from '@fairlead/connector-runtime/mcp/tool-slug';
import { buildConnector, connectorIssues } from '../build-connector.ts';
import type { ManifestMembers } from '../build-connector.ts';
import { ImportRefusal } from '../import-job.ts';
import type { ImportIssue, OpenApiJob, SkippedOperation } from '../import-job.ts';
import { methodsOf, securityOf } from './authentication-methods.ts';
import { chooseOperations, referredPaths } from './list-operations.ts';
import type { OperationChoice } from './list-operations.ts';
import { curateOperation, operationName, textOf } from './curate-operation.ts';
import { addressOf, serverOf, wholeAddress } from './server-address.ts';

const MAX_NAME = 100;
const MAX_DESCRIPTION = 1_000;
const MAX_REASON = 300;
const SLUG = /^[a-z0-9]+(?:[-_.][a-z0-9]+)*$/;
const VERSION = /^\d{1,6}\.\d{1,6}\.\d{1,6}$/;
/** Pointers to the error text in vendors' responses, the most common one first. */
const MESSAGES = [
  '/error/message',
  '/message',
  '/error_description',
  '/detail',
  '/title',
  '/errors/0/message',
  '/error',
];

/** An imported application, and the operations for which no tool was created. */
export interface ImportedApplication {
  readonly connector: Connector;
  readonly skipped: readonly SkippedOperation[];
}

/** A tool, or the reason why there is none. */
type ToolOrReason =
  | { readonly chosen: OperationChoice; readonly tool: ManifestTool }
  | { readonly chosen: OperationChoice; readonly reason: string };

/** Creates an application from a document. Throws ImportRefusal if the caller's request has to be changed. */
export function importOpenApi(document: JsonObject, job: OpenApiJob): ImportedApplication {
  if (!isOpenApi(document))
    throw new ImportRefusal({
      field: job.field,
      issue:
        'is neither an OpenAPI 3 nor a Swagger 2.0 document: `openapi` or `swagger` must name its version',
    });
  const chosen = chooseOperations(document, job.operations);
  const baseUrl = baseUrlOf(document, job);
  const info = objectOrEmpty(document['info']);
  const name = textOf(info['title'], MAX_NAME) ?? job.slug;
  const ways = waysOf(document, chosen, job, baseUrl);
  const api = readOpenApi(document);
  const slugs = slugsOf(chosen);
  const scopes = ways.flatMap((way) => (way.type === 'oauth2' ? way.scopes : []));
  const made = chosen.map((each): ToolOrReason => {
    const reason = unusable(each, baseUrl, job) ?? unresolved(each, api);
    if (reason !== undefined) return { chosen: each, reason };
    return createToolOrReason(api, each, slugs.get(each) ?? '', { slug: job.slug, scopes });
  });
  const version = info['version'];
  const elsewhere = job.operations === undefined ? referredPaths(document) : [];
  return assemble(made, elsewhere.map(skippedPath), {
    slug: job.slug,
    name,
    description:
      textOf(info['description'], MAX_DESCRIPTION) ?? `${name}, imported from an OpenAPI document.`,
    kind: ways.every(({ type }) => type === 'apiKey') ? 'Key' : 'Regular',
    maturity: 'generated',
    version: typeof version === 'string' && VERSION.test(version) ? version : '1.0.0',
    baseUrl,
    errorMessagePointers: MESSAGES,
    authenticationMethods: [...methodsOf(ways, name)],
  });
}

function isOpenApi({ openapi, swagger }: JsonObject): boolean {
  return (typeof openapi === 'string' && openapi.startsWith('3.')) || swagger === '2.0';
}

function baseUrlOf(document: JsonObject, job: OpenApiJob): string {
  const address = job.baseUrl === undefined ? serverOf(document, job.documentUrl) : wholeAddress(job.baseUrl);
  if (address !== undefined) return address;
  throw new ImportRefusal({
    field: 'baseUrl',
    issue:
      job.baseUrl === undefined
        ? 'is required, because the document names no server with a whole address'
        : 'must be an http or https URL without user name, query and fragment',
  });
}

/** The authentications: the caller's choice, else those of the document. */
function waysOf(
  document: JsonObject,
  chosen: readonly OperationChoice[],
  { authentication }: OpenApiJob,
  baseUrl: string,
): readonly ApiAuthentication[] {
  if (authentication !== undefined) return [authentication];
  const security = securityOf(
    document,
    chosen.map(({ operation }) => operation.raw),
    baseUrl,
  );
  const ways = [...security.ways.values()].flat();
  const unique = [...new Map(ways.map((way) => [JSON.stringify(way), way])).values()];
  return unique.length === 0 || security.isOptional ? [{ type: 'none' }, ...unique] : unique.slice(0, 20);
}

/** Slugs given by the caller; for other operations, slugs derived from their names. */
function slugsOf(chosen: readonly OperationChoice[]): ReadonlyMap<OperationChoice, string> {
  const issues: ImportIssue[] = [];
  const own = new Map<OperationChoice, string>();
  chosen.forEach((each, index) => {
    const slug = each.wanted?.toolSlug;
    if (slug === undefined) return;
    const field = `operations[${String(index)}].toolSlug`;
    if (!SLUG.test(slug))
      issues.push({ field, issue: 'must be lower-case letters and digits, separated by - _ or .' });
    if ([...own.values()].includes(slug))
      issues.push({ field, issue: `${slug} is the slug of another tool` });
    own.set(each, slug);
  });
  if (issues.length > 0) throw new ImportRefusal(...issues);
  const taken = new Set(own.values());
  const names = toolSlugs(chosen.map(operationName));
  return new Map(
    chosen.map((each) => {
      const given = own.get(each);
      if (given !== undefined) return [each, given];
      const made = names.get(operationName(each)) ?? '';
      let slug = made;
      for (let number = 2; taken.has(slug); number += 1) slug = `${made}-${String(number)}`;
      taken.add(slug);
      return [each, slug];
    }),
  );
}

/** The reason why an operation cannot be a tool; undefined: it may be one. */
function unusable(
  { operation, wanted }: OperationChoice,
  baseUrl: string,
  job: OpenApiJob,
): string | undefined {
  if (wanted === undefined && operation.raw['deprecated'] === true)
    return 'It is deprecated. Name it in `operations` to import it all the same.';
  if (operation.path.includes('{{')) return 'Its path has double braces.';
  if (operation.servers === undefined || job.baseUrl !== undefined) return undefined;
  return addressOf(operation.servers, job.documentUrl) === baseUrl
    ? undefined
    : 'It has a server of its own; an application has one address.';
}

/** The reason why an operation would lack an input: a reference that leads out of the document, or to nothing. */
function unresolved({ operation: { raw, common } }: OperationChoice, api: ApiDocument): string | undefined {
  const body = objectOrEmpty(raw['requestBody']);
  const media = Object.values(objectOrEmpty(body['content'])).map((each) => objectOrEmpty(each)['schema']);
  const parts = [...listOf(common), ...listOf(raw['parameters']), body, ...media];
  const refs = parts.map((part) => objectOrEmpty(part)['$ref']);
  const ref = refs.find((each) => typeof each === 'string' && api.resolve(each) === undefined);
  return typeof ref === 'string' ? `It refers to ${ref}, which is not in the document.` : undefined;
}

function skippedPath({ path, ref }: ReturnType<typeof referredPaths>[number]): SkippedOperation {
  return {
    operationId: null,
    method: '*',
    path: path.slice(0, MAX_REASON),
    reason: `The path refers to ${ref}: its operations must be in the document.`.slice(0, MAX_REASON),
  };
}

function listOf(value: Json | undefined): readonly Json[] {
  return isJsonArray(value) ? value : [];
}

function createToolOrReason(
  api: ApiDocument,
  chosen: OperationChoice,
  toolSlug: string,
  application: { readonly slug: string; readonly scopes: readonly string[] },
): ToolOrReason {
  const operation = api.operation(chosen.operation.id);
  if (operation === undefined) return { chosen, reason: 'It cannot be read.' };
  const problems: string[] = [];
  const tool = createTool(operation, {
    api,
    curation: curateOperation(api, operation, chosen, toolSlug),
    ...application,
    report: (path, message) => problems.push([...path, message].join(': ')),
  });
  const [problem] = problems;
  if (tool === undefined || problem !== undefined) return { chosen, reason: problem ?? 'It cannot be read.' };
  const missing = /\{([^{}]+)\}/.exec((tool.request?.url ?? '').replaceAll(/\{\{[^{}]+\}\}/g, ''))?.[1];
  return missing === undefined
    ? { chosen, tool }
    : { chosen, reason: `The parameter ${missing} of its path is not described.` };
}

/** Builds the application with the tools that follow all rules of the catalogue. */
function assemble(
  made: readonly ToolOrReason[],
  elsewhere: readonly SkippedOperation[],
  head: ManifestMembers,
): ImportedApplication {
  let current = made;
  // Repeated, because a tool may violate a rule only because of another tool.
  for (let round = 0; ; round += 1) {
    const tools = current.flatMap((each) => ('tool' in each ? [each] : []));
    const connector = buildConnector(
      head,
      tools.map(({ tool }) => tool),
    );
    const issues = connectorIssues(connector);
    const ofTools = new Map<OperationChoice, string>();
    const others: ImportIssue[] = [];
    for (const { path, message } of issues) {
      const [member, index, ...rest] = path;
      const chosen = member === 'tools' && typeof index === 'number' ? tools[index]?.chosen : undefined;
      if (chosen !== undefined) ofTools.set(chosen, [...rest, message].join(': '));
      else others.push({ field: fieldOf(path), issue: message });
    }
    if (others.length > 0) throw new ImportRefusal(...others);
    if (ofTools.size === 0 || round > 10) return finished(current, elsewhere, connector);
    current = current.map((each) => {
      const reason = ofTools.get(each.chosen);
      return reason === undefined ? each : { chosen: each.chosen, reason };
    });
  }
}

function finished(
  made: readonly ToolOrReason[],
  elsewhere: readonly SkippedOperation[],
  connector: Connector,
): ImportedApplication {
  const skipped = made.flatMap((each): SkippedOperation[] =>
    'reason' in each
      ? [
          {
            operationId: each.chosen.operation.operationId?.slice(0, MAX_REASON) ?? null,
            method: each.chosen.operation.method,
            path: each.chosen.operation.path.slice(0, MAX_REASON),
            reason: each.reason.slice(0, MAX_REASON),
          },
        ]
      : [],
  );
  if (connector.tools.length > 0) return { connector, skipped: [...skipped, ...elsewhere] };
  const [first] = [...skipped, ...elsewhere];
  throw new ImportRefusal({
    field: 'operations',
    issue:
      first === undefined
        ? 'the document has no operation'
        : `none of them can be a tool; ${first.method} ${first.path}: ${first.reason}`,
  });
}

/** The member of the caller's request that determines a part of the application. */
function fieldOf([member]: readonly (string | number)[]): string {
  switch (member) {
    case 'slug':
    case 'baseUrl':
      return member;
    default:
      return 'authentication';
  }
}
