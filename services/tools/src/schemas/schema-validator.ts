import type { JsonObject } from '@fairlead/connector-model/model';
import type { EvaluationWorkers } from '@fairlead/evaluation/evaluation-workers';
import { compileSchema } from '@fairlead/evaluation/json-schema/compiled-schema';
import type { CompiledSchema } from '@fairlead/evaluation/json-schema/compiled-schema';
import { parseIssues } from '@fairlead/evaluation/json-schema/field-issues';
import { schemaProgram } from '@fairlead/evaluation/json-schema/schema-program';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { CheckOptions, SchemaCheck, SchemaValidator } from '../ports/schema-validator.ts';

/** Compiled schemas of the platform that are kept; the least recently used one is dropped first. */
const MAX_COMPILED = 500;

/**
 * Checks values against JSON Schemas. The platform's are proved to be bounded when they are compiled into the catalogue, and
 * run in place; an account's may come from a hostile MCP server, values from a hostile caller, so they run in `workers`. A
 * schema that cannot be used checks nothing and is logged: the tool stays usable, the vendor decides.
 */
export function createSchemaValidator(o: {
  readonly log: Logger;
  readonly workers: Pick<EvaluationWorkers, 'evaluate'>;
}): SchemaValidator {
  // By the hash of the schema, so that a changed one is never checked against the old one. In the order of use.
  const compiled = new Map<string, CompiledSchema>();

  function compiledSchema(schema: JsonObject): CompiledSchema {
    const { key } = schemaProgram(schema);
    const entry = compiled.get(key) ?? compileSchema(schema);
    compiled.delete(key);
    compiled.set(key, entry);
    const [oldest] = compiled.keys();
    if (compiled.size > MAX_COMPILED && oldest !== undefined) compiled.delete(oldest);
    return entry;
  }

  async function checkInWorker(
    schema: JsonObject,
    value: JsonObject,
    { root, accountId, signal, timeoutMs }: CheckOptions,
  ): Promise<SchemaCheck> {
    const evaluation = await o.workers.evaluate(
      accountId,
      schemaProgram(schema),
      { value, root },
      { signal, timeoutMs },
    );
    switch (evaluation.kind) {
      case 'result':
        return { kind: 'checked', issues: parseIssues(evaluation.result) };
      case 'unusable':
        return { kind: 'unchecked' };
      default:
        return evaluation;
    }
  }

  return {
    async check(schema, value, options) {
      try {
        if (!options.isPlatform) return await checkInWorker(schema, value, options);
        return { kind: 'checked', issues: compiledSchema(schema).issuesOf(value, options.root) };
      } catch (error) {
        // A stack overflow: the value nests too deep.
        if (error instanceof RangeError) return { kind: 'tooCostly' };
        o.log.error({ err: error }, 'schema check ended unexpectedly, the value passes');
        return { kind: 'unchecked' };
      }
    },
  };
}
