import { plainText } from '@fairlead/connector-model/import/plain-text';
import { isJsonArray, objectOrEmpty } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { ToolDefinition } from '@fairlead/connector-model/model';
import { toolDefinitionSchema } from '@fairlead/connector-model/schema/connector';
import { buildConnector } from '../build-connector.ts';
import type { PackageJob, SkippedOperation } from '../import-job.ts';
import { skip, versionOf, withValidTools } from '../package-application.ts';
import type { PackageApplication } from '../package-application.ts';

const MAX_NAME = 100;

/**
 * Creates an application from the description of an MCP server in a package (describeServer), which is untrusted. Its connections have the
 * fields of the job. Throws ImportRefusal that names the package.
 */
export function importServer(described: JsonObject, job: PackageJob): PackageApplication {
  const { serverName, tools: listed = [] } = described;
  const name = (typeof serverName === 'string' && plainText(serverName, MAX_NAME)) || job.slug;
  const version = versionOf(job);
  const fields = job.fields ?? [];
  const method = { authenticationId: 0, isDefault: true } as const;
  const head = buildConnector(
    {
      slug: job.slug,
      name,
      description: `The tools of the MCP server in the package ${job.package} ${job.version}.`,
      maturity: 'generated',
      version,
      authenticationMethods: [
        fields.length === 0
          ? { ...method, authenticationName: 'None', scheme: { type: 'none' } }
          : { ...method, authenticationName: 'Key', scheme: { type: 'custom' }, fields },
      ],
    },
    [],
  );
  const skipped: SkippedOperation[] = [];
  const tools: ToolDefinition[] = [];
  for (const each of isJsonArray(listed) ? listed : []) {
    const made = toolOf(each, job);
    if ('reason' in made) skipped.push(skip(made.name, made.reason));
    else tools.push(made);
  }
  return withValidTools({ ...head, tools }, skipped);
}

function toolOf(
  listed: Json,
  job: PackageJob,
): ToolDefinition | { readonly name: string; readonly reason: string } {
  const { execution, ...members } = objectOrEmpty(listed);
  const { toolName: action = '', isTask } = objectOrEmpty(execution);
  const name = typeof action === 'string' ? action : '';
  if (isTask === true) return { name, reason: 'The server runs it as a task only.' };
  const { data, error } = toolDefinitionSchema.safeParse({
    ...members,
    execution: { type: 'package', package: job.package, version: job.version, action, isMcp: true },
  });
  if (data !== undefined) return data;
  const [issue] = error.issues;
  return { name, reason: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}` };
}
