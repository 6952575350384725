import type { JsonObject } from '@fairlead/connector-model/json';
import { schemaSize } from '@fairlead/connector-model/schema-size';
import { UnbuiltOutput } from '@fairlead/connector-runtime/outputs/unbuilt-output';
import type { EvaluationWorkers } from '@fairlead/evaluation/evaluation-workers';
import { compileSchema } from '@fairlead/evaluation/json-schema/compiled-schema';
import type { CompiledSchema } from '@fairlead/evaluation/json-schema/compiled-schema';
import { freeMembers, withoutFreeMembers } from '@fairlead/evaluation/json-schema/free-members';
import { parseIssues } from '@fairlead/evaluation/json-schema/field-issues';
import { isLighterThan, workFactor } from '@fairlead/evaluation/json-schema/work';
import { schemaProgram } from '@fairlead/evaluation/json-schema/schema-program';
import { parsedMembers } from '@fairlead/service-kit/json/lazy-json';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { CheckOptions, SchemaCheck, SchemaValidator } from '../ports/schema-validator.ts';

/**
 * Maximum work of a synchronous check: parts of the value times the subschemas that may apply to each. A unit takes up to 0.3 µs of CPU
 * time, for errors in a large union; usually a tenth of that.
 */
const MAX_WORK_IN_PLACE = 100_000;

/** Maximum number of objects in a synchronously compiled schema, which takes up to 20 ms; one with 800 takes 300 ms. */
const MAX_OBJECTS_IN_PLACE = 100;

interface PlatformSchema {
  /** Undefined: too large to be compiled synchronously. */
  readonly compiled: CompiledSchema | undefined;
  /** Largest value that is checked synchronously. */
  readonly maxWeight: number;
  /** Members that are not parsed, because they may be large. */
  readonly free: ReadonlySet<string>;
}

/** Maximum number of cached compiled platform schemas (LRU). */
const MAX_COMPILED = 500;

/**
 * Validates values against JSON Schemas. The platform's schemas are proved to be bounded when the catalogue is compiled; they are checked
 * synchronously unless schema or value are so large that it would take more than a few milliseconds. An account's schema may come from a
 * hostile MCP server, and a value from a hostile caller. So accounts' schemas, large schemas and large values are checked in a worker of
 * the account. An unusable schema is logged and checks nothing: the tool stays usable, and the vendor decides.
 */
export function createSchemaValidator(o: {
  readonly log: Logger;
  readonly workers: Pick<EvaluationWorkers, 'evaluate'>;
}): SchemaValidator {
  // By hash of the schema, so that a changed schema is never checked against the old one. Least recently used first.
  const platform = new Map<string, PlatformSchema>();

  function platformSchema(schema: JsonObject): PlatformSchema {
    const { key } = schemaProgram(schema);
    const entry = platform.get(key) ?? {
      compiled: schemaSize(schema) > MAX_OBJECTS_IN_PLACE ? undefined : compileSchema(schema),
      maxWeight: MAX_WORK_IN_PLACE / workFactor(schema),
      free: freeMembers(schema),
    };
    platform.delete(key);
    platform.set(key, entry);
    const [oldest] = platform.keys();
    if (platform.size > MAX_COMPILED && oldest !== undefined) platform.delete(oldest);
    return entry;
  }

  async function checkInWorker(
    schema: JsonObject,
    value: LazyObject | UnbuiltOutput,
    { root, accountId, signal, timeoutMs }: CheckOptions,
  ): Promise<SchemaCheck> {
    const input = value instanceof UnbuiltOutput ? { output: value, root } : { value, root };
    const evaluation = await o.workers.evaluate(accountId, schemaProgram(schema), input, {
      signal,
      timeoutMs,
    });
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
        if (!options.isPlatform || value instanceof UnbuiltOutput)
          return await checkInWorker(schema, value, options);
        const { compiled, maxWeight, free } = platformSchema(schema);
        const checked = withoutFreeMembers(value, free);
        if (compiled === undefined || !isLighterThan(checked, maxWeight))
          return await checkInWorker(schema, checked, options);
        return { kind: 'checked', issues: compiled.issuesOf(parsedMembers(checked), options.root) };
      } catch (error) {
        // A stack overflow: the value is nested too deep.
        if (error instanceof RangeError) return { kind: 'tooCostly' };
        o.log.error({ err: error }, 'schema check ended unexpectedly, the value passes');
        return { kind: 'unchecked' };
      }
    },
  };
}
