import { z } from 'zod';

/** A JSON Schema document or part, with the keywords that this code reads, and any others. */
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

/** The type as which a path or query parameter is parsed. */
export type WireType = 'integer' | 'boolean' | 'string';

/**
 * The JSON Schema (2020-12) of the values that `schema` accepts. Shared schemas stay in `$defs` under their `id`.
 * With `isRequest`, objects that refuse unknown members say so.
 */
export function toJsonSchema(schema: z.ZodType, { isRequest = false } = {}): JsonSchema {
  const { $schema: _dialect, ...document } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // Omitted, because it is true of every JSON object.
      if (isStringSchema(jsonSchema.propertyNames)) delete jsonSchema.propertyNames;
      // Responses get further members without a new API version, so the document must not exclude them.
      if (!isRequest && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      // Omitted, because the format says the same and zod's regular expression is unreadable.
      if (jsonSchema.format === 'date-time' || jsonSchema.format === 'uuid') delete jsonSchema.pattern;
    },
  });
  // zod's type is the union of all dialects; the target 2020-12 has these keywords.
  return document as JsonSchema;
}

/** The type of each member of `schema`, as its JSON Schema states it. */
export function wireTypes(schema: z.ZodObject): ReadonlyMap<string, WireType> {
  const { properties = {}, $defs = {} } = toJsonSchema(schema);
  return new Map(Object.entries(properties).map(([name, member]) => [name, wireType(member, $defs)]));
}

function wireType(member: JsonSchema, definitions: Readonly<Record<string, JsonSchema>>): WireType {
  const { type } =
    member.$ref === undefined ? member : (definitions[member.$ref.slice('#/$defs/'.length)] ?? {});
  return type === 'integer' || type === 'boolean' ? type : 'string';
}

/** Whether `schema` contains an enum, so that INVALID_ENUM_VALUE is possible. */
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
