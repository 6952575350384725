import { isFileInput } from '../caller-inputs.ts';
import { isJsonObject } from '../json.ts';
import type { Connector, ToolDefinition } from '../model.ts';
import type { Json, JsonObject } from '../json.ts';
import { ANY_FIELD } from '../model.ts';
import { speaksMcp } from './speaks-mcp.ts';
import { duplicates } from './problem.ts';
import type { Problem } from './problem.ts';
import type { SchemaCheck } from './schemas.ts';

/** The problems of the tools, individually and together. */
export function toolProblems(connector: Connector, checkSchema: SchemaCheck): readonly Problem[] {
  const { tools } = connector;
  const isMcp = speaksMcp(connector);
  const problems: Problem[] = [...slugProblems(tools)];
  tools.forEach((tool, index) => {
    const found = [
      ...schemaProblems(tool, checkSchema),
      ...fileProblems(tool),
      ...conditionProblems(tool),
      ...executionProblems(tool, isMcp),
    ];
    for (const { path, message } of found) problems.push({ path: ['tools', index, ...path], message });
  });
  return problems;
}

/** A slug or alias must name only one tool. */
function slugProblems(tools: readonly ToolDefinition[]): readonly Problem[] {
  const slugs = tools.map(({ toolSlug }, index) => ({ value: toolSlug, path: ['tools', index, 'toolSlug'] }));
  const aliases = tools.flatMap((tool, index) =>
    tool.aliases.map((value, i) => ({ value, path: ['tools', index, 'aliases', i] })),
  );
  const names = [...slugs, ...aliases];
  return duplicates(names.map(({ value }) => value)).flatMap(({ index, value }) => {
    const name = names[index];
    return name === undefined
      ? []
      : [{ path: name.path, message: `'${value}' is a slug or alias of another tool` }];
  });
}

function schemaProblems(tool: ToolDefinition, checkSchema: SchemaCheck): readonly Problem[] {
  return (['inputSchema', 'outputSchema'] as const).flatMap((member) => {
    const message = checkSchema(tool[member]);
    return message === undefined ? [] : [{ path: [member], message }];
  });
}

/** The tools service gives the tool an object for a file, and validates that the caller gave one. */
function fileProblems({ inputSchema }: ToolDefinition): readonly Problem[] {
  return Object.entries(objectOf(inputSchema['properties']) ?? {}).flatMap(([name, input]) =>
    isFileInput(input) && input['type'] !== 'object'
      ? [
          {
            path: ['inputSchema', 'properties', name, 'type'],
            message: "must be 'object', because it is a file",
          },
        ]
      : [],
  );
}

function executionProblems(tool: ToolDefinition, isMcpClient: boolean): readonly Problem[] {
  const problems: Problem[] = [];
  if (isMcpClient !== (tool.execution.type === 'mcp')) {
    const message = isMcpClient ? 'must be of type mcp' : 'may be mcp only in connectors of kind MCPClient';
    problems.push({ path: ['execution'], message });
  }
  if (tool.retryClass === 'readOnly' && tool.isDestructive) {
    problems.push({ path: ['isDestructive'], message: 'contradicts the retry class readOnly' });
  }
  if (
    tool.execution.type === 'http' &&
    tool.execution.response.type === 'list' &&
    itemSchema(tool) === undefined
  ) {
    problems.push({
      path: ['outputSchema'],
      message: "must have an array 'items', because the response is a list",
    });
  }
  return problems;
}

function conditionProblems(tool: ToolDefinition): readonly Problem[] {
  const isHttp = tool.execution.type === 'http';
  const problems: Problem[] = [];
  for (const member of ['filters', 'sorts'] as const) {
    const support = tool[member];
    if (support === null) continue;
    problems.push(...fieldProblems(tool, support.fields, [member, 'fields']));
    const byField = member === 'filters' ? tool.filters?.byField : undefined;
    problems.push(...parameterProblems(support, byField, [member, 'byField']));
    if ((support.query !== null || byField !== undefined) !== isHttp) {
      const message = isHttp
        ? 'is required, because the tool sends a request'
        : 'is not allowed without a request';
      problems.push({ path: [member, 'query'], message });
    }
  }
  if (tool.paging !== null && (tool.paging.type === 'handler') === isHttp) {
    const message = isHttp ? 'may be handler only for tools with a handler' : 'must be of type handler';
    problems.push({ path: ['paging'], message });
  }
  if ((tool.filters ?? tool.sorts ?? tool.paging) !== null && itemSchema(tool) === undefined) {
    problems.push({
      path: ['outputSchema'],
      message: "must have an array 'items', because the tool returns a list",
    });
  }
  return problems;
}

/** Conditions with a parameter of their own are limited to the fields that the tool declares. */
function parameterProblems(
  { fields, query }: Pick<NonNullable<ToolDefinition['filters']>, 'fields' | 'query'>,
  byField: NonNullable<ToolDefinition['filters']>['byField'],
  path: readonly string[],
): readonly Problem[] {
  if (byField === undefined) return [];
  const named = Object.keys(byField);
  const different = [
    ...fields.filter((field) => !named.includes(field)),
    ...named.filter((field) => !fields.includes(field)),
  ];
  return [
    ...(query === null ? [] : [{ path, message: 'stands in place of `query`' }]),
    ...different.map((field) => ({ path, message: `'${field}' must be in \`fields\` and here` })),
  ];
}

function fieldProblems(
  tool: ToolDefinition,
  names: readonly string[],
  path: readonly string[],
): readonly Problem[] {
  if (names.includes(ANY_FIELD)) {
    const isAlone = names.length === 1 && tool.execution.type === 'handler';
    return isAlone ? [] : [{ path, message: `'${ANY_FIELD}' must be the only name, and requires a handler` }];
  }
  const known = objectOf(itemSchema(tool)?.['properties']) ?? {};
  return [
    ...duplicates(names).map(({ index, value }) => ({
      path: [...path, index],
      message: `'${value}' is named twice`,
    })),
    ...names.flatMap((name, index) =>
      Object.hasOwn(known, name)
        ? []
        : [{ path: [...path, index], message: `the items of outputSchema have no property '${name}'` }],
    ),
  ];
}

/** The item schema of a list tool's output; undefined if the output is not a list. */
function itemSchema(tool: ToolDefinition): JsonObject | undefined {
  const items = objectOf(objectOf(tool.outputSchema['properties'])?.['items']);
  return items?.['type'] === 'array' ? (objectOf(items['items']) ?? {}) : undefined;
}

function objectOf(value: Json | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}
