import type { JsonObject } from '@fairlead/connector-model/model';
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
 * The work of a check in place, at most: the parts of the value times the subschemas that each of them may meet. A unit takes
 * up to 0.3 µs of processor time, for errors in a large union; most take a tenth of that.
 */
const MAX_WORK_IN_PLACE = 100_000;

/** Objects of a schema that is compiled in place, which takes up to 20 ms then; one of 800 takes 300 ms. */
const MAX_OBJECTS_IN_PLACE = 100;

/** A schema of the platform. */
interface PlatformSchema {
  /** Undefined: it is too large to be compiled in place. */
  readonly compiled: CompiledSchema | undefined;
  /** The heaviest value that is checked in place. */
  readonly maxWeight: number;
  /** Not read: they may be large. */
  readonly free: ReadonlySet<string>;
}

/** Compiled schemas of the platform that are kept; the least recently used one is dropped first. */
const MAX_COMPILED = 500;

/**
 * Checks values against JSON Schemas. The platform's are proved to be bounded when they are compiled into the catalogue, and
 * run in place unless the schema or the value is so large that it would take more than a few milliseconds. An account's may come from a
 * hostile MCP server, values from a hostile caller: an account's schemas, large schemas and large values are checked in a worker of the
 * account. A schema that cannot be used checks nothing and is logged: the tool stays usable, the vendor decides.
 */
export function createSchemaValidator(o: {
  readonly log: Logger;
  readonly workers: Pick<EvaluationWorkers, 'evaluate'>;
}): SchemaValidator {
  // By the hash of the schema, so that a changed one is never checked against the old one. In the order of use.
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
        // A stack overflow: the value nests too deep.
        if (error instanceof RangeError) return { kind: 'tooCostly' };
        o.log.error({ err: error }, 'schema check ended unexpectedly, the value passes');
        return { kind: 'unchecked' };
      }
    },
  };
}
