import type { JsonObject } from '@fairlead/connector-model/model';
import type { AnySchemaObject, Format, Options, ValidateFunction } from 'ajv';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';

/** A JSON Schema dialect: how its schemas are checked and compiled. */
export interface Dialect {
  /** Checks whether a schema is one of this dialect. Compiled once, at the first use of the getter. */
  readonly metaValidator: ValidateFunction;
  /**
   * Compiles a schema that the metaValidator accepted. Throws where it does not compile, for example for a reference that
   * leads nowhere.
   */
  compile(schema: JsonObject, options: { readonly allErrors: boolean }): ValidateFunction;
}

/**
 * The formats that are checked: those whose meaning does not vary between vendors. Others, `password` and `byte` among
 * them, only describe.
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

/** Text above this length is left to the vendor: some formats are regular expressions, and a data: URI is a URI too. */
const MAX_FORMATTED_LENGTH = 2_048;

const formats: Record<string, Format> = {};
for (const name of CHECKED_FORMATS) formats[name] = bounded(fullFormats[name]);

/** Patterns are Unicode ones, or, where that is no pattern, as browsers have always read them. */
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
  // Schemas come from vendors: unknown keywords, formats and loose typing are no reason to refuse a call.
  strict: false,
  logger: false,
  // A value is what the caller sent: nothing is converted, filled in or removed.
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

/** JSON Schema draft-07 (and what passes for its elders): what many MCP servers answer. */
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
      // One instance a schema: schemas of different accounts must not see each other's `$id`s, and go with the cache entry.
      // The metaValidator has checked the schema; not doing it again saves 30 ms for compiling the meta-schema anew.
      const instance = create({ ...OPTIONS, allErrors, validateSchema: false, addUsedSchema: false });
      return instance.compile(compilable(schema));
    },
  };
}

/** Without the members that would look for another meta-schema or make the validator asynchronous. */
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
  // The checked formats are all about text, which their types do not say.
  if (typeof check === 'function') return check as (value: string) => boolean;
  throw new TypeError('A checked format is a pattern or a function.');
}
