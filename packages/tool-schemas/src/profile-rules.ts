import { isJsonArray } from '@fairlead/connector-model/json';
import type { JsonObject } from '@fairlead/connector-model/json';
import { objectOf } from './json.ts';
import type { SchemaProfile } from './profile.ts';

/** Limits of OpenAI's strict schemas. */
const MAX_STRICT_PROPERTIES = 5_000;
const MAX_STRICT_LEVELS = 10;
const MAX_STRICT_ENUM_VALUES = 1_000;

const STRICT_KEYWORDS: ReadonlySet<string> = new Set(
  (
    'type properties required additionalProperties items anyOf enum $ref $defs title description pattern format ' +
    'multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems'
  ).split(' '),
);
const GEMINI_KEYWORDS: ReadonlySet<string> = new Set(
  (
    'type properties required items anyOf enum nullable title description pattern format default ' +
    'minimum maximum minLength maxLength minItems maxItems'
  ).split(' '),
);
const ANTHROPIC_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

/**
 * The parts of a schema that a model API refuses; empty for an accepted schema. Contains only the rules of the APIs, independent of the
 * conversion. Sources: OpenAI "Structured Outputs, supported schemas", Anthropic "Tool use", Gemini "Schema".
 */
export function profileProblems(schema: JsonObject, profile: SchemaProfile): readonly string[] {
  const root = schema['type'] === 'object' ? [] : ['a root that is no object'];
  switch (profile) {
    case 'openai-strict':
      return [...root, ...choiceAtRoot(schema, ['anyOf']), ...strictProblems(schema)];
    case 'anthropic':
      return [...root, ...choiceAtRoot(schema, ['anyOf', 'oneOf', 'allOf']), ...anthropicProblems(schema)];
    case 'gemini':
      return [...root, ...geminiProblems(schema)];
  }
}

function choiceAtRoot(schema: JsonObject, keywords: readonly string[]): readonly string[] {
  return keywords.some((keyword) => schema[keyword] !== undefined) ? ['a choice at the root'] : [];
}

function strictProblems(schema: JsonObject): readonly string[] {
  const parts = partsOf(schema);
  const properties = parts.reduce((sum, { part }) => sum + membersOf(part).length, 0);
  const values = parts.reduce(
    (sum, { part }) => sum + (isJsonArray(part['enum']) ? part['enum'].length : 0),
    0,
  );
  const levels = Math.max(...parts.map(({ level }) => level));
  return [
    ...(properties > MAX_STRICT_PROPERTIES ? [`${String(properties)} members`] : []),
    ...(values > MAX_STRICT_ENUM_VALUES ? [`${String(values)} values of enums`] : []),
    ...(levels > MAX_STRICT_LEVELS ? [`${String(levels)} levels`] : []),
    ...parts.flatMap(({ part }) => [
      ...Object.keys(part).filter((keyword) => !STRICT_KEYWORDS.has(keyword)),
      ...(part['$ref'] !== undefined && Object.keys(part).length > 1
        ? ['a reference with other keywords']
        : []),
      ...(isObjectType(part) && part['additionalProperties'] !== false ? ['an open object'] : []),
      ...(isObjectType(part) && JSON.stringify(part['required'] ?? []) !== JSON.stringify(membersOf(part))
        ? ['an optional member']
        : []),
    ]),
  ];
}

function anthropicProblems(schema: JsonObject): readonly string[] {
  return partsOf(schema).flatMap(({ part }) =>
    membersOf(part).flatMap((name) => (ANTHROPIC_NAME.test(name) ? [] : [`the name '${name}'`])),
  );
}

function geminiProblems(schema: JsonObject): readonly string[] {
  return partsOf(schema).flatMap(({ part }) => [
    ...Object.keys(part).filter((keyword) => !GEMINI_KEYWORDS.has(keyword)),
    ...(typeof part['type'] === 'string' || part['anyOf'] !== undefined ? [] : ['no single type']),
    ...(isJsonArray(part['enum']) && part['enum'].some((value) => typeof value !== 'string')
      ? ['an enum of other than strings']
      : []),
    ...(isObjectType(part) && part !== schema && membersOf(part).length === 0
      ? ['an object without members']
      : []),
  ]);
}

function isObjectType({ type }: JsonObject): boolean {
  return type === 'object' || (isJsonArray(type) && type.includes('object'));
}

function membersOf(schema: JsonObject): readonly string[] {
  return Object.keys(objectOf(schema['properties']) ?? {});
}

/** The schema and all schemas in it, each with its nesting depth of objects and arrays, including itself. */
function partsOf(
  part: JsonObject,
  above = 0,
): readonly { readonly part: JsonObject; readonly level: number }[] {
  const isNested = isObjectType(part) || part['items'] !== undefined;
  const level = above + (isNested ? 1 : 0);
  const { anyOf, items } = part;
  const inner = [
    ...Object.values(objectOf(part['properties']) ?? {}),
    ...(isJsonArray(anyOf) ? anyOf : []),
    ...(items === undefined ? [] : [items]),
  ].flatMap((each) => {
    const schema = objectOf(each);
    return schema === undefined ? [] : partsOf(schema, level);
  });
  const definitions = Object.values(objectOf(part['$defs']) ?? {}).flatMap((each) => {
    const schema = objectOf(each);
    return schema === undefined ? [] : partsOf(schema);
  });
  return [{ part, level }, ...inner, ...definitions];
}
