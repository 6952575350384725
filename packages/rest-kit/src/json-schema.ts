import { z } from 'zod';

/** A JSON Schema document or a part of one: the keywords that are read here, and any others. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly [keyword: string]: unknown;
}

/** How the text of a path or query parameter is read. */
export type WireType = 'integer' | 'boolean' | 'string';

/**
 * The JSON Schema (2020-12) of what `schema` accepts; shared schemas stay in `$defs` under their `id`. With `isRequest`, an
 * object that refuses unknown members says so.
 */
export function toJsonSchema(schema: z.ZodType, { isRequest = false } = {}): JsonSchema {
  const { $schema: _dialect, ...document } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // True of every JSON object, so it would be noise.
      if (isStringSchema(jsonSchema.propertyNames)) delete jsonSchema.propertyNames;
      // Members are added to responses without a new API version, so the document does not promise that there are no others.
      if (!isRequest && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      // The format says the same; zod's regular expression is not readable.
      if (jsonSchema.format === 'date-time' || jsonSchema.format === 'uuid') delete jsonSchema.pattern;
    },
  });
  // Zod returns the union of all dialects; the target above is 2020-12, which has these keywords.
  return document as JsonSchema;
}

/** The wire type of each member of `schema`: the type that its JSON Schema names. */
export function wireTypes(schema: z.ZodObject): ReadonlyMap<string, WireType> {
  const { properties = {}, $defs = {} } = toJsonSchema(schema);
  return new Map(Object.entries(properties).map(([name, member]) => [name, wireType(member, $defs)]));
}

function wireType(member: JsonSchema, definitions: Readonly<Record<string, JsonSchema>>): WireType {
  const { type } =
    member.$ref === undefined ? member : (definitions[member.$ref.slice('#/$defs/'.length)] ?? {});
  return type === 'integer' || type === 'boolean' ? type : 'string';
}

/** Whether `schema` contains an enumeration, so that INVALID_ENUM_VALUE is possible. */
export function hasEnum(schema: z.ZodType): boolean {
  return holdsEnum(toJsonSchema(schema));
}

function holdsEnum(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false;
  return Object.entries(part).some(([key, value]) => key === 'enum' || holdsEnum(value));
}

function isStringSchema(part: unknown): boolean {
  return JSON.stringify(part) === '{"type":"string"}';
}
