import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '@fairlead/connector-model/model';
import type { Clock } from '@fairlead/service-kit/clock';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { ErrorObject, ValidateFunction } from 'ajv';
import type { SchemaCheck, SchemaValidator } from '../ports/schema-validator.ts';
import { draft07, draft2020 } from './dialects.ts';
import type { Dialect } from './dialects.ts';
import { fieldIssues } from './field-issues.ts';
import { schemaSize } from '@fairlead/connector-model/schema-size';
import { runWithin, TimeLimitError } from './time-limit.ts';

/** Limits of the validator; the defaults are meant for production. */
export interface SchemaLimits {
  /** Maximum number of cached compiled schemas; the least recently used one is evicted first. Default 500. */
  readonly cachedSchemas: number;
  /** A larger schema, in characters of its JSON, is not compiled. Default 65 536. */
  readonly schemaLength: number;
  /** Default 1 000. */
  readonly compileMs: number;
  /** Default 500. */
  readonly validateMs: number;
}

const DEFAULT_LIMITS: SchemaLimits = {
  cachedSchemas: 500,
  schemaLength: 65_536,
  compileMs: 1_000,
  validateMs: 500,
};

/** A schema that took too long is tried again after this time, because the machine may have been slow. */
const RECOMPILE_AFTER_MS = 60_000;

/**
 * If a value has more parts than this, divided by the size of the schema, only its first error is reported: a list of
 * all could be larger than both.
 */
const MAX_PRODUCT_FOR_ALL_ERRORS = 200_000;
const MAX_PARTS_FOR_ALL_ERRORS = 20_000;

/** A schema whose checks took too long so often is not used any more. */
const MAX_TIMEOUTS = 2;

/** Runs a function within so many milliseconds. */
type Run = <R>(limitMs: number, run: () => R) => R;

const unlimited: Run = (_limitMs, run) => run();

type Compiled =
  | {
      readonly kind: 'validator';
      readonly first: ValidateFunction;
      all: ValidateFunction | undefined;
      readonly dialect: Dialect;
      /** As of schemaSize. */
      readonly size: number;
      /** Checks that took too long. */
      timeouts: number;
      readonly within: Run;
    }
  | { readonly kind: 'none'; readonly retryAt: number };

/**
 * Checks values against JSON Schemas: 2020-12, or draft-07 if the schema says so or only compiles as draft-07. Compiled
 * schemas are cached by a hash of their content, so a changed definition is never checked against its old schema.
 *
 * The platform's schemas are proved to be bounded when they are compiled into the catalogue, and run as they are. An account's
 * may come from a hostile MCP server, values from a hostile caller; both run under a time limit. A schema that
 * does not compile, is too large or takes too long checks nothing and is logged: the tool stays usable, the vendor
 * decides. So does one whose checks have taken too long twice.
 */
export function createSchemaValidator(o: {
  readonly log: Logger;
  readonly clock: Clock;
  readonly limits?: Partial<SchemaLimits>;
}): SchemaValidator {
  const limits = { ...DEFAULT_LIMITS, ...o.limits };
  const cache = new Map<string, Compiled>();
  /** By identity: the catalogue's definitions are cached, so that most are hashed once. */
  const keys = new WeakMap<JsonObject, { readonly key: string; readonly length: number }>();

  function keyOf(schema: JsonObject): { readonly key: string; readonly length: number } {
    const known = keys.get(schema);
    if (known) return known;
    const text = JSON.stringify(schema);
    const made = { key: createHash('sha256').update(text).digest('base64'), length: text.length };
    keys.set(schema, made);
    return made;
  }

  function compiled(schema: JsonObject, isPlatform: boolean): Compiled {
    const { key: hash, length } = keyOf(schema);
    const key = cacheKey(hash, isPlatform);
    const now = o.clock.now().getTime();
    const known = cache.get(key);
    const entry =
      known && (known.kind === 'validator' || now < known.retryAt)
        ? known
        : compile(schema, length, now, isPlatform ? unlimited : runWithin);
    // Deleting it first moves it to the end of the map, whose order is the order of use.
    cache.delete(key);
    cache.set(key, entry);
    const [oldest] = cache.keys();
    if (cache.size > limits.cachedSchemas && oldest !== undefined) cache.delete(oldest);
    return entry;
  }

  function compile(schema: JsonObject, length: number, now: number, within: Run): Compiled {
    try {
      if (length > limits.schemaLength) throw new Error(`The schema has ${length} characters.`);
      const size = schemaSize(schema);
      const dialect = dialectOf(schema, (run) => within(limits.compileMs, run));
      const first = within(limits.compileMs, () => dialect.compile(schema, { allErrors: false }));
      return { kind: 'validator', first, all: undefined, dialect, size, timeouts: 0, within };
    } catch (error) {
      o.log.warn({ err: error }, 'schema not usable, values are not checked against it');
      return { kind: 'none', retryAt: error instanceof TimeLimitError ? now + RECOMPILE_AFTER_MS : Infinity };
    }
  }

  function errorsOf(
    schema: JsonObject,
    value: JsonObject,
    entry: Extract<Compiled, { kind: 'validator' }>,
  ): readonly ErrorObject[] {
    const { first, within } = entry;
    const firstErrors = within(limits.validateMs, () => errorsAfter(first, value));
    if (firstErrors.length === 0) return firstErrors;
    const maxParts = Math.min(MAX_PARTS_FOR_ALL_ERRORS, MAX_PRODUCT_FOR_ALL_ERRORS / entry.size);
    if (partsOf(value, maxParts) >= maxParts) return firstErrors;
    try {
      const all = (entry.all ??= within(limits.compileMs, () =>
        entry.dialect.compile(schema, { allErrors: true }),
      ));
      return within(limits.validateMs, () => errorsAfter(all, value));
    } catch (error) {
      if (error instanceof TimeLimitError) return firstErrors;
      throw error;
    }
  }

  function countTimeout(schema: JsonObject, entry: Extract<Compiled, { kind: 'validator' }>): void {
    entry.timeouts += 1;
    if (entry.timeouts < MAX_TIMEOUTS) return;
    o.log.warn('checks against a schema took too long, values are no longer checked against it');
    cache.set(cacheKey(keyOf(schema).key, false), { kind: 'none', retryAt: Infinity });
  }

  return {
    check(schema, value, { root, isPlatform }): SchemaCheck {
      const entry = compiled(schema, isPlatform);
      if (entry.kind === 'none') return { kind: 'unchecked' };
      try {
        return { kind: 'checked', issues: fieldIssues(errorsOf(schema, value, entry), root) };
      } catch (error) {
        if (error instanceof TimeLimitError) countTimeout(schema, entry);
        // A RangeError is a stack overflow: a recursive schema met a very deep value.
        if (error instanceof TimeLimitError || error instanceof RangeError) return { kind: 'tooCostly' };
        o.log.error({ err: error }, 'schema check ended unexpectedly, the value passes');
        return { kind: 'unchecked' };
      }
    },
  };
}

/** An account's schema never shares an entry with the platform's, even if both are the same. */
function cacheKey(hash: string, isPlatform: boolean): string {
  return isPlatform ? hash : `limited ${hash}`;
}

function dialectOf(schema: JsonObject, within: <R>(run: () => R) => R): Dialect {
  const declared = schema['$schema'];
  const isOld = typeof declared === 'string' && /draft-0\d/.test(declared);
  const order = isOld ? [draft07, draft2020] : [draft2020, draft07];
  const dialect = order.find(({ metaValidator }) => within(() => metaValidator(schema)));
  if (!dialect) throw new Error('The schema is neither valid JSON Schema 2020-12 nor valid draft-07.');
  return dialect;
}

function errorsAfter(validate: ValidateFunction, value: JsonObject): readonly ErrorObject[] {
  return validate(value) ? [] : (validate.errors ?? []);
}

/** Counts the values that a value consists of, up to `limit`. */
function partsOf(value: Json, limit: number): number {
  let count = 0;
  const open: Json[] = [value];
  while (open.length > 0 && count < limit) {
    const next = open.pop();
    count += 1;
    if (typeof next === 'object' && next !== null) open.push(...Object.values(next).slice(0, limit));
  }
  return count;
}
