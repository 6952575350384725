import type { Problem } from '@fairlead/connector-model/gates/problem';
import { MAX_IMPORTED_LEVELS } from '@fairlead/connector-model/import/read-schema';
import { isJsonObject } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { isDeeperThan } from '@fairlead/connector-model/limits';
import type { Connector, ToolDefinition } from '@fairlead/connector-model/model';
import { adaptSchema, SCHEMA_PROFILES } from '@fairlead/tool-schemas/profile';
import { profileProblems } from '@fairlead/tool-schemas/profile-rules';
import { VERBS } from './verbs.ts';

/** Longest function name that models' APIs accept. */
const MAX_FUNCTION_NAME_LENGTH = 64;
/** Range of an application's number of tools: what a person would select. */
const MAX_TOOLS = 60;
const MIN_TOOLS = 10;
/** The form of a category, so that applications of one subject are in one category. */
const CATEGORY = /^[a-z]+(?: [a-z]+)*$/;

/** Returns whether a tool or an application may break a rule. */
export interface Exempt {
  readonly slug: (toolSlug: string) => boolean;
  readonly few: (applicationSlug: string) => boolean;
}

/** Rules for an application's tools that the compile step does not check. */
export function toolProblems({ slug, categories, tools }: Connector, exempt: Exempt): readonly Problem[] {
  const size = { path: ['operations'], message: `has ${String(tools.length)} tools` };
  const isFew = tools.length > 0 && tools.length < MIN_TOOLS && !exempt.few(slug);
  return [
    ...categories.flatMap((category, index) =>
      CATEGORY.test(category)
        ? []
        : [{ path: ['categories', index], message: 'must be lower-case words with spaces' }],
    ),
    ...(tools.length > MAX_TOOLS ? [{ ...size, message: `${size.message}, more than ${MAX_TOOLS}` }] : []),
    ...(isFew ? [{ ...size, message: `${size.message}, fewer than ${MIN_TOOLS}` }] : []),
    ...tools.flatMap((tool, index) =>
      [
        ...slugProblems(slug, tool, exempt).map((message) => ({ path: ['toolSlug'], message })),
        ...effectProblems(tool),
        ...depthProblems(tool),
        ...outputProblems(tool),
        ...refusals(tool).map((message) => ({ path: ['inputSchema'], message })),
        ...undescribed(tool.inputSchema, []).map((member) => ({
          path: ['inputSchema'],
          message: `${member} has no description`,
        })),
      ].map(({ path, message }) => ({ path: ['tools', index, ...path], message })),
    ),
  ];
}

function slugProblems(slug: string, { toolSlug }: ToolDefinition, exempt: Exempt): readonly string[] {
  const [verb = '', ...nouns] = toolSlug.slice(slug.length + 1).split('-');
  const isTooLong = toolSlug.length > MAX_FUNCTION_NAME_LENGTH;
  const isAction = VERBS.has(verb) && nouns.length > 0;
  return [
    ...(isTooLong ? [`is longer than ${MAX_FUNCTION_NAME_LENGTH} characters`] : []),
    ...(isAction || exempt.slug(toolSlug) ? [] : ['must be a verb and a noun after the application']),
  ];
}

/** A client asks a person before a destructive call. */
function effectProblems({ execution, isDestructive }: ToolDefinition): readonly Problem[] {
  const isDelete = execution.type === 'http' && execution.request.method === 'DELETE';
  return isDelete && !isDestructive
    ? [{ path: ['isDestructive'], message: 'must be true, because the method is DELETE' }]
    : [];
}

/** Written schemas are as flat as imported ones. */
function depthProblems(tool: ToolDefinition): readonly Problem[] {
  return (['inputSchema', 'outputSchema'] as const).flatMap((name) =>
    isDeeperThan(tool[name], MAX_IMPORTED_LEVELS)
      ? [{ path: [name], message: `has more than ${MAX_IMPORTED_LEVELS} levels` }]
      : [],
  );
}

/** A model has to know the answer of a tool before it calls it. */
function outputProblems({ execution, outputSchema }: ToolDefinition): readonly Problem[] {
  if (execution.type !== 'http' || execution.response.type === 'empty') return [];
  const { properties, additionalProperties, description } = outputSchema;
  const isStated = isJsonObject(properties) && Object.keys(properties).length > 0;
  return isStated || additionalProperties !== undefined || description !== undefined
    ? []
    : [{ path: ['outputSchema'], message: 'needs properties or a description' }];
}

function refusals({ inputSchema }: ToolDefinition): readonly string[] {
  return SCHEMA_PROFILES.flatMap((profile) => {
    const problems = new Set(profileProblems(adaptSchema(inputSchema, profile), profile));
    return problems.size === 0 ? [] : [`${profile} refuses ${[...problems].join(', ')}`];
  });
}

/** The model profiles that accept a tool's inputs unchanged, without the adapted form. */
export function compatOf({ inputSchema }: Pick<ToolDefinition, 'inputSchema'>): readonly string[] {
  return SCHEMA_PROFILES.filter((profile) => profileProblems(inputSchema, profile).length === 0);
}

/** The members of a schema without a description, at any depth. */
function undescribed(schema: JsonObject, path: readonly string[]): readonly string[] {
  const inner = (value: Json | undefined, at: readonly string[]): readonly string[] =>
    isJsonObject(value) ? undescribed(value, at) : [];
  const { properties, items } = schema;
  return [
    ...Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([name, member]) => [
      ...(isJsonObject(member) && typeof member['description'] === 'string'
        ? []
        : [[...path, name].join('.')]),
      ...inner(member, [...path, name]),
    ]),
    ...inner(items, path),
  ];
}
