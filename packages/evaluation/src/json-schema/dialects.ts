import type { JsonObject } from '@fairlead/connector-model/json';
import type { AnySchemaObject, Format, Options, ValidateFunction } from 'ajv';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { uniqueItems } from './unique-items.ts';

/** A JSON Schema dialect: how its schemas are checked and compiled. */
export interface Dialect {
  /** Checks whether a schema is one of this dialect. Compiled once, on first use of the getter. */
  readonly metaValidator: ValidateFunction;
  /**
   * Compiles a schema that the metaValidator accepted. Throws if it does not compile, for example because of an
   * unresolved reference.
   */
  compile(schema: JsonObject, options: { readonly allErrors: boolean }): ValidateFunction;
}

/**
 * The formats that are checked: those whose meaning does not vary between vendors. Others, such as `password` and
 * `byte`, are only annotations.
 */
const CHECKED_FORMATS = [
  'date',
  'time',
  'date-time',
  'duration',
  'uri',
  'uri-reference',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
] as const;

/** Longer text is left to the vendor: some formats are regular expressions, and a data: URI is a URI too. */
const MAX_FORMATTED_LENGTH = 2_048;

const formats: Record<string, Format> = {};
for (const name of CHECKED_FORMATS) formats[name] = bounded(fullFormats[name]);

/** Patterns are compiled in Unicode mode, or in legacy mode if that fails. */
const regExp: NonNullable<NonNullable<Options['code']>['regExp']> = Object.assign(
  (pattern: string, flags: string): RegExp => {
    try {
      return new RegExp(pattern, flags);
    } catch {
      return new RegExp(pattern);
    }
  },
  { code: 'new RegExp' },
);

const OPTIONS = {
  // Schemas come from vendors: unknown keywords, unknown formats and loose typing must not cause a refusal.
  strict: false,
  logger: false,
  // The value stays as the caller sent it: nothing is converted, filled in or removed.
  coerceTypes: false,
  useDefaults: false,
  removeAdditional: false,
  ownProperties: true,
  formats,
  code: { regExp },
} as const satisfies Options;

/** JSON Schema 2020-12, what the catalogue promises. */
export const draft2020: Dialect = dialect(
  (options) => new Ajv2020(options),
  'https://json-schema.org/draft/2020-12/schema',
);

/** JSON Schema draft-07 (and older drafts that compile as it), which many MCP servers use. */
export const draft07: Dialect = dialect(
  (options) => new Ajv(options),
  'http://json-schema.org/draft-07/schema',
);

function dialect(create: (options: Options) => Ajv | Ajv2020, metaSchema: string): Dialect {
  let metaValidator: ValidateFunction | undefined;
  return {
    get metaValidator() {
      metaValidator ??= create({ logger: false }).getSchema(metaSchema);
      if (!metaValidator) throw new TypeError(`Ajv knows no ${metaSchema}.`);
      return metaValidator;
    },
    compile(schema, { allErrors }) {
      // One instance per schema: schemas of different accounts must not see each other's `$id`s, and are freed with
      // their cache entry. The metaValidator has checked the schema; skipping a second check saves 30 ms for compiling
      // the meta-schema again.
      const instance = create({ ...OPTIONS, allErrors, validateSchema: false, addUsedSchema: false });
      instance.removeKeyword('uniqueItems').addKeyword(uniqueItems);
      return instance.compile(compilable(schema));
    },
  };
}

/** Removes the members that would require another meta-schema or make the validator asynchronous. */
function compilable(schema: JsonObject): AnySchemaObject {
  const { $schema: _dialect, $async: _asynchronous, ...rest } = schema;
  return rest;
}

function bounded(format: Format): Format {
  const isValid = formatCheck(format);
  return (value: string) => value.length > MAX_FORMATTED_LENGTH || isValid(value);
}

function formatCheck(format: Format): (value: string) => boolean {
  const check = typeof format === 'object' && 'validate' in format ? format.validate : format;
  if (check instanceof RegExp) return (value) => check.test(value);
  // The checked formats all apply to text, which their types do not express.
  if (typeof check === 'function') return check as (value: string) => boolean;
  throw new TypeError('A checked format is a pattern or a function.');
}
