import { plainText } from '@fairlead/connector-model/import/plain-text';
import { isJsonArray, objectOrEmpty } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { ToolDefinition } from '@fairlead/connector-model/model';
import { toolSlugs } from '@fairlead/connector-runtime/mcp/tool-slug';
import { buildConnector } from '../build-connector.ts';
import type { PackageJob, SkippedOperation } from '../import-job.ts';
import { skip, versionOf, withValidTools } from '../package-application.ts';
import type { PackageApplication } from '../package-application.ts';
import { methodsOfPiece } from './piece-methods.ts';
import { inputSchemaOf, outputSchemaOf } from './piece-schemas.ts';

const MAX_NAME = 100;
const MAX_DESCRIPTION = 1_000;

/**
 * Creates an application from the description of a piece (describePiece), which is untrusted. Throws ImportRefusal that names the package.
 */
export function importPiece(described: JsonObject, job: PackageJob): PackageApplication {
  const { displayName, description } = objectOrEmpty(described['piece']);
  const name = textOf(displayName, MAX_NAME) ?? job.slug;
  const version = versionOf(job);
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
  return withValidTools({ ...head, tools }, skipped);
}

/** The reason why an action cannot be a tool; undefined: it can. */
function unusable(action: JsonObject): string | undefined {
  if (action['name'] === 'custom_api_call')
    return 'It sends requests of any kind; the application http has that for all vendors.';
  return action['audience'] === 'human'
    ? 'The piece has it for people, and another one for models.'
    : undefined;
}

function toolOf(action: JsonObject, toolSlug: string, version: string, job: PackageJob): ToolDefinition {
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

function nameOf({ name }: JsonObject): string {
  return typeof name === 'string' ? name : '';
}

function textOf(value: Json | undefined, limit: number): string | undefined {
  return typeof value === 'string' ? plainText(value, limit) : undefined;
}

function listOf(value: Json | undefined): readonly Json[] {
  return value !== undefined && isJsonArray(value) ? value : [];
}
