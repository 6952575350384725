import { plainText } from '@fairlead/connector-model/import/plain-text';
import { isJsonArray, objectOrEmpty } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { Connector, ToolDefinition } from '@fairlead/connector-model/model';
import { toolSlugs } from '@fairlead/connector-runtime/mcp/tool-slug';
import { buildConnector, connectorIssues } from '../build-connector.ts';
import { ImportRefusal } from '../import-job.ts';
import type { PieceJob, SkippedOperation } from '../import-job.ts';
import { methodsOfPiece } from './piece-methods.ts';
import { inputSchemaOf, outputSchemaOf } from './piece-schemas.ts';

const MAX_NAME = 100;
const MAX_DESCRIPTION = 1_000;
const VERSION = /^\d{1,6}\.\d{1,6}\.\d{1,6}$/;

/**
 * Creates an application from the description of a piece (describePiece), which is untrusted. Throws ImportRefusal that names the package.
 */
export function importPiece(
  described: JsonObject,
  job: PieceJob,
): { readonly connector: Connector; readonly skipped: readonly SkippedOperation[] } {
  const { displayName, description } = objectOrEmpty(described['piece']);
  const name = textOf(displayName, MAX_NAME) ?? job.slug;
  const version = VERSION.test(job.version) ? job.version : '1.0.0';
  const declared = listOf(described['auth']);
  const methods = methodsOfPiece(declared, name);
  const skipped: SkippedOperation[] = [];
  const usable = methods.flatMap((each, index) => {
    if ('method' in each) return [each.method];
    skipped.push(skip(`sign-in ${String(index + 1)}`, each.reason));
    return [];
  });
  const none = {
    authenticationId: 0,
    authenticationName: 'None',
    isDefault: true,
    scheme: { type: 'none' },
  } as const;
  const head = buildConnector(
    {
      slug: job.slug,
      name,
      description: textOf(description, MAX_DESCRIPTION) ?? `${name}, in the code of ${job.package}.`,
      maturity: 'generated',
      version,
      authenticationMethods: declared.length === 0 ? [none] : usable,
    },
    [],
  );
  const actions = listOf(described['actions']).map(objectOrEmpty);
  const slugs = toolSlugs(actions.map(nameOf));
  const chosen = actions.filter((action) => {
    const reason = unusable(action);
    if (reason !== undefined) skipped.push(skip(nameOf(action), reason));
    return reason === undefined;
  });
  for (const trigger of listOf(described['triggers']).map(objectOrEmpty))
    skipped.push(skip(nameOf(trigger), 'Triggers of pieces are not imported.'));
  const tools = chosen.map((action) => toolOf(action, slugs.get(nameOf(action)) ?? '', version, job));
  return kept({ ...head, tools }, skipped);
}

/** Builds the application with the tools that follow all rules of the catalogue. */
function kept(
  connector: Connector,
  skipped: SkippedOperation[],
): { readonly connector: Connector; readonly skipped: readonly SkippedOperation[] } {
  const refused = new Map<number, string>();
  for (const { path, message } of connectorIssues(connector)) {
    const [member, index, ...rest] = path;
    if (member !== 'tools' || typeof index !== 'number')
      throw new ImportRefusal({ field: 'package', issue: [...path, message].join(': ') });
    refused.set(index, [...rest, message].join(': '));
  }
  const tools = connector.tools.filter(({ toolSlug }, index) => {
    const reason = refused.get(index);
    if (reason !== undefined) skipped.push(skip(toolSlug, reason));
    return reason === undefined;
  });
  if (tools.length === 0)
    throw new ImportRefusal({ field: 'package', issue: 'has no action that can be a tool' });
  return { connector: { ...connector, tools }, skipped };
}

/** The reason why an action cannot be a tool; undefined: it can. */
function unusable(action: JsonObject): string | undefined {
  if (action['name'] === 'custom_api_call')
    return 'It sends requests of any kind; the application http has that for all vendors.';
  return action['audience'] === 'human'
    ? 'The piece has it for people, and another one for models.'
    : undefined;
}

function toolOf(action: JsonObject, toolSlug: string, version: string, job: PieceJob): ToolDefinition {
  const { displayName, description, props, outputSchema, aiMetadata, classification } = action;
  const ai = objectOrEmpty(aiMetadata);
  const isDestructive = classification === 'DESTRUCTIVE';
  const isReading = classification === 'READ' || classification === 'SEARCH';
  return {
    toolSlug,
    aliases: [],
    toolName: textOf(displayName, MAX_NAME) ?? toolSlug,
    description:
      textOf(ai['description'], MAX_DESCRIPTION) ?? textOf(description, MAX_DESCRIPTION) ?? toolSlug,
    category: 'Actions',
    isDeprecated: false,
    inputSchema: inputSchemaOf(objectOrEmpty(props)),
    outputSchema: outputSchemaOf(outputSchema),
    retryClass: isReading ? 'readOnly' : ai['idempotent'] === true ? 'idempotent' : 'unsafe',
    isDestructive,
    filters: null,
    sorts: null,
    paging: null,
    version,
    execution: { type: 'package', package: job.package, version: job.version, action: nameOf(action) },
  };
}

function skip(name: string, reason: string): SkippedOperation {
  return { operationId: name.slice(0, MAX_NAME), method: '', path: '', reason: reason.slice(0, 300) };
}

function nameOf({ name }: JsonObject): string {
  return typeof name === 'string' ? name : '';
}

function textOf(value: Json | undefined, limit: number): string | undefined {
  return typeof value === 'string' ? plainText(value, limit) : undefined;
}

function listOf(value: Json | undefined): readonly Json[] {
  return value !== undefined && isJsonArray(value) ? value : [];
}
