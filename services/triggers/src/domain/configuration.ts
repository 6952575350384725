import type { JsonObject } from '@fairlead/connector-model/model';
import type { FieldIssue } from '@fairlead/errors/api-error';
import { compileSchema } from '@fairlead/evaluation/json-schema/compiled-schema';
import type { CompiledSchema } from '@fairlead/evaluation/json-schema/compiled-schema';
import { scheduleIssues } from './schedule.ts';
import type { TriggerType } from './trigger.ts';

/** By identity: definitions of the catalogue are cached, and all of them are the platform's, proved to be bounded. */
const compiled = new WeakMap<JsonObject, CompiledSchema>();

/** What is wrong with the configuration of a trigger of this type, one issue a field; empty: nothing. */
export function configurationIssues(
  { kind, configSchema }: Pick<TriggerType, 'kind' | 'configSchema'>,
  configuration: JsonObject,
): readonly FieldIssue[] {
  const schema = compiled.get(configSchema) ?? compileSchema(configSchema);
  compiled.set(configSchema, schema);
  const issues = schema.issuesOf(configuration, 'configuration');
  return issues.length > 0 || kind !== 'schedule' ? issues : scheduleIssues(configuration);
}
