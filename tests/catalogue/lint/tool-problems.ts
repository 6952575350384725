import type { Problem } from '@fairlead/connector-model/gates/problem';
import { isJsonObject } from '@fairlead/connector-model/json';
import type { Connector, Json, JsonObject, ToolDefinition } from '@fairlead/connector-model/model';
import { adaptSchema, SCHEMA_PROFILES } from '@fairlead/tool-schemas/profile';
import { profileProblems } from '@fairlead/tool-schemas/profile-rules';

/** Longest name of a function that the models' APIs accept. */
const MAX_FUNCTION_NAME_LENGTH = 64;
/** An application has as many tools as a person would choose from. */
const MAX_TOOLS = 60;
const MIN_TOOLS = 10;

/** The rules for the tools of an application that the compile step does not know. */
export function toolProblems({ tools }: Connector): readonly Problem[] {
  return [
    ...(tools.length > MAX_TOOLS
      ? [
          {
            path: ['operations'],
            message: `has ${String(tools.length)} tools, more than ${String(MAX_TOOLS)}`,
          },
        ]
      : []),
    ...tools.flatMap((tool, index) => [
      ...refusals(tool).map((message) => ({ path: ['tools', index, 'inputSchema'], message })),
      ...(tool.toolSlug.length > MAX_FUNCTION_NAME_LENGTH
        ? [
            {
              path: ['tools', index, 'toolSlug'],
              message: `is longer than ${String(MAX_FUNCTION_NAME_LENGTH)} characters`,
            },
          ]
        : []),
    ]),
  ];
}

/** Sentences about an application that is no failure: too few tools, or members of inputs that nobody describes. */
export function toolWarnings({ slug, tools }: Connector): readonly string[] {
  const members = tools.flatMap(({ toolSlug, inputSchema }) =>
    undescribed(inputSchema, []).map((path) => `${toolSlug}: ${path} has no description`),
  );
  const isFew = tools.length > 0 && tools.length < MIN_TOOLS;
  return [...(isFew ? [`${slug}: has ${String(tools.length)} tools only`] : []), ...members];
}

function refusals({ inputSchema }: ToolDefinition): readonly string[] {
  return SCHEMA_PROFILES.flatMap((profile) => {
    const problems = new Set(profileProblems(adaptSchema(inputSchema, profile), profile));
    return problems.size === 0 ? [] : [`${profile} refuses ${[...problems].join(', ')}`];
  });
}

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
