import { isJsonArray, isJsonObject, objectOrEmpty } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';

/** `least`: only required members. `all`: all members. `other`: all members, with other values. */
export const VARIANTS = ['least', 'all', 'other'] as const;
/** One of VARIANTS. */
export type Variant = (typeof VARIANTS)[number];

/** Below this depth only required members are generated. */
const MAX_LEVELS = 3;
const TEXTS: Readonly<Record<string, readonly [string, string]>> = {
  'date-time': ['2026-01-15T10:00:00Z', '2025-12-31T23:59:59Z'],
  date: ['2026-01-15', '2025-12-31'],
  time: ['10:00:00Z', '23:59:59Z'],
  uri: ['https://example.com/a', 'https://example.com/b?c=d'],
  email: ['ada@example.com', 'bob@example.org'],
  uuid: ['0b8f0d5c-5a3e-4d0e-9f3a-2f1f6f0c1a11', '7c9e6679-7425-40de-944b-e07fc1f90ae7'],
  int64: ['1', '42'],
};
const FILE = { name: 'a.txt', contentType: 'text/plain', base64: 'YQ==' };

/** Generates inputs that a catalogue schema accepts, deterministically by schema and variant. `examples` are used as they are. */
export function generateInputs(schema: JsonObject, variant: Variant, level = 0): Json {
  const choices = schema['anyOf'] ?? schema['oneOf'];
  const [choice] = isJsonArray(choices)
    ? choices.filter(isJsonObject).filter((each) => typeOf(each) !== 'null')
    : [];
  if (choice !== undefined)
    return generateInputs({ ...schema, anyOf: null, oneOf: null, ...choice }, variant, level);
  const examples = schema['examples'];
  if (isJsonArray(examples) && examples.length > 0)
    return (variant === 'other' ? examples.at(-1) : examples[0]) ?? null;
  if (schema['const'] !== undefined) return schema['const'];
  if (schema['format'] === 'file') return FILE;
  const values = schema['enum'];
  if (isJsonArray(values)) {
    const known = values.filter((value) => value !== null);
    return (variant === 'other' ? known.at(-1) : known[0]) ?? null;
  }
  switch (typeOf(schema)) {
    case 'object':
      return objectOf(schema, variant, level);
    case 'array':
      return listOf(schema, variant, level);
    case 'boolean':
      return variant !== 'other';
    case 'integer':
    case 'number':
      return numberOf(schema, variant);
    default:
      return textOf(schema, variant);
  }
}

function typeOf({ type, properties, items }: JsonObject): string {
  const [first] = isJsonArray(type) ? type.filter((each) => each !== 'null') : [type];
  if (typeof first === 'string') return first;
  if (properties !== undefined) return 'object';
  return items === undefined ? 'string' : 'array';
}

function objectOf(schema: JsonObject, variant: Variant, level: number): Json {
  const required = isJsonArray(schema['required']) ? schema['required'] : [];
  const properties = Object.entries(objectOrEmpty(schema['properties']));
  const { additionalProperties } = schema;
  if (properties.length === 0)
    return isJsonObject(additionalProperties)
      ? { key: generateInputs(additionalProperties, variant, level + 1) }
      : {};
  const takesAll = variant !== 'least' && level < MAX_LEVELS;
  return Object.fromEntries(
    properties.flatMap(([name, member]) =>
      takesAll || required.includes(name)
        ? [[name, generateInputs(objectOrEmpty(member), variant, level + 1)]]
        : [],
    ),
  );
}

function listOf(schema: JsonObject, variant: Variant, level: number): Json {
  const { items, minItems, maxItems } = schema;
  const wanted = Math.max(typeof minItems === 'number' ? minItems : 0, 1);
  const length =
    variant === 'other' && (typeof maxItems !== 'number' || maxItems >= 2) ? Math.max(wanted, 2) : wanted;
  const variants: readonly Variant[] = variant === 'other' ? ['other', 'all'] : [variant];
  return Array.from({ length }, (_item, index) =>
    generateInputs(objectOrEmpty(items), variants[index % variants.length] ?? variant, level + 1),
  );
}

function numberOf(schema: JsonObject, variant: Variant): number {
  const { minimum, maximum, exclusiveMinimum } = schema;
  const least =
    typeof minimum === 'number'
      ? minimum
      : typeof exclusiveMinimum === 'number'
        ? exclusiveMinimum + 1
        : undefined;
  if (variant === 'other' && typeof maximum === 'number') return maximum;
  const usual = variant === 'other' ? 2 : 1;
  if (least !== undefined && least > usual) return least;
  return typeof maximum === 'number' ? Math.min(usual, maximum) : usual;
}

function textOf(schema: JsonObject, variant: Variant): string {
  const { format, pattern, minLength, maxLength } = schema;
  if (typeof pattern === 'string') return textOfPattern(pattern, variant);
  const known = typeof format === 'string' ? TEXTS[format] : undefined;
  if (known !== undefined) return known[variant === 'other' ? 1 : 0];
  const text = variant === 'other' ? 'b & c/d é' : 'text';
  const padded = text.padEnd(typeof minLength === 'number' ? minLength : 0, 'x');
  return typeof maxLength === 'number' ? padded.slice(0, maxLength) : padded;
}

/** Generates a text for the patterns used in manifests: characters, classes, groups of alternatives, and quantifiers. */
export function textOfPattern(pattern: string, variant: Variant): string {
  const part = /\((?:\?:)?([^()]*)\)|\[([^\]]+)\]|\\(.)|([^\\^$()[\]{}+*?|])/y;
  const often = /\{(\d+)(?:,(\d*))?\}|[+*?]/y;
  let text = '';
  for (let at = pattern.startsWith('^') ? 1 : 0; at < pattern.length && pattern[at] !== '$';) {
    part.lastIndex = at;
    const found = part.exec(pattern);
    if (found === null) throw new Error(`no text can be made for the pattern ${pattern}`);
    const [whole, group, members, escaped, character] = found;
    at += whole.length;
    often.lastIndex = at;
    const repeated = often.exec(pattern);
    at += repeated?.[0].length ?? 0;
    const options = group?.split('|') ?? [];
    const chosen = (variant === 'other' ? options.at(-1) : options[0]) ?? '';
    const one =
      group !== undefined
        ? textOfPattern(chosen, variant)
        : (members?.[0] ?? (escaped === 'd' ? '1' : escaped) ?? character ?? '');
    text += one.repeat(repeated === null ? 1 : Math.max(Number(repeated[1] ?? 1), 1));
  }
  return text;
}
