import type { JsonObject } from '@fairlead/connector-model/json';
import type { FieldIssue } from '@fairlead/errors/api-error';
import { compileSchema } from '@fairlead/evaluation/json-schema/compiled-schema';
import type { CompiledSchema } from '@fairlead/evaluation/json-schema/compiled-schema';
import { canonicalJson } from '@fairlead/service-kit/json/canonical-json';
import type { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { scheduleIssues, scheduleOf } from './schedule.ts';
import type { TriggerType } from './trigger.ts';

/** Cache by identity: definitions of the catalogue are cached objects, and all are the platform's, so they are bounded. */
const compiled = new WeakMap<JsonObject, CompiledSchema>();

/** The issues in a configuration for this trigger type, at most one per field; empty: it is valid. */
export function configurationIssues(
  { kind, configSchema }: Pick<TriggerType, 'kind' | 'configSchema'>,
  json: LazyJson,
): readonly FieldIssue[] {
  const configuration = json.parseObject();
  const schema = compiled.get(configSchema) ?? compileSchema(configSchema);
  compiled.set(configSchema, schema);
  const issues = schema.issuesOf(configuration, 'configuration');
  return issues.length > 0 || kind !== 'schedule' ? issues : scheduleIssues(configuration);
}

/** Whether two configurations of a type mean the same, independent of notation. */
export function isSameConfiguration(kind: TriggerType['kind'], a: LazyJson, b: LazyJson): boolean {
  const meaning = (of: LazyJson) =>
    kind === 'schedule' ? scheduleOf(of.parseObject(), new Date(0)) : of.parse();
  return canonicalJson(meaning(a)) === canonicalJson(meaning(b));
}
