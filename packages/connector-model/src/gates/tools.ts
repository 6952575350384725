import type { Connector, Json, JsonObject, ToolDefinition } from '../model.ts';
import { ANY_FIELD } from '../model.ts';
import { duplicates } from './problem.ts';
import type { Problem } from './problem.ts';
import type { SchemaCheck } from './schemas.ts';

/** What is wrong with the tools, taken together and one by one. */
export function toolProblems(connector: Connector, checkSchema: SchemaCheck): readonly Problem[] {
  const { tools, kind } = connector;
  const problems: Problem[] = duplicates(tools.map((tool) => tool.toolSlug)).map(({ index, value }) => ({
    path: ['tools', index, 'toolSlug'],
    message: `'${value}' is the slug of another tool`,
  }));
  tools.forEach((tool, index) => {
    const found = [
      ...schemaProblems(tool, checkSchema),
      ...conditionProblems(tool),
      ...executionProblems(tool, kind === 'MCPClient'),
    ];
    for (const { path, message } of found) problems.push({ path: ['tools', index, ...path], message });
  });
  return problems;
}

function schemaProblems(tool: ToolDefinition, checkSchema: SchemaCheck): readonly Problem[] {
  return (['inputSchema', 'outputSchema'] as const).flatMap((member) => {
    const message = checkSchema(tool[member]);
    return message === undefined ? [] : [{ path: [member], message }];
  });
}

function executionProblems(tool: ToolDefinition, isMcpClient: boolean): readonly Problem[] {
  const problems: Problem[] = [];
  if (isMcpClient !== (tool.execution.type === 'mcp')) {
    const message = isMcpClient ? 'must be of type mcp' : 'may be mcp in connectors of kind MCPClient only';
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
      message: "must have an array 'items', as the response is a list",
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
    if ((support.query !== null) !== isHttp) {
      const message = isHttp
        ? 'is needed, as the tool makes a request'
        : 'has no meaning where no request is made';
      problems.push({ path: [member, 'query'], message });
    }
  }
  if (tool.paging !== null && (tool.paging.type === 'handler') === isHttp) {
    const message = isHttp ? 'handler is for tools with a handler' : 'must be of type handler';
    problems.push({ path: ['paging'], message });
  }
  if ((tool.filters ?? tool.sorts ?? tool.paging) !== null && itemSchema(tool) === undefined) {
    problems.push({ path: ['outputSchema'], message: "must have an array 'items', as the tool lists" });
  }
  return problems;
}

function fieldProblems(
  tool: ToolDefinition,
  names: readonly string[],
  path: readonly string[],
): readonly Problem[] {
  if (names.includes(ANY_FIELD)) {
    const isAlone = names.length === 1 && tool.execution.type === 'handler';
    return isAlone
      ? []
      : [{ path, message: `'${ANY_FIELD}' stands alone, and only where a handler runs the tool` }];
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

/** The schema of one item of a list tool's output; undefined where the output is no list. */
function itemSchema(tool: ToolDefinition): JsonObject | undefined {
  const items = objectOf(objectOf(tool.outputSchema['properties'])?.['items']);
  return items?.['type'] === 'array' ? (objectOf(items['items']) ?? {}) : undefined;
}

function objectOf(value: Json | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !isArray(value) ? value : undefined;
}

/** `Array.isArray`, which does not narrow readonly arrays away. */
function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
