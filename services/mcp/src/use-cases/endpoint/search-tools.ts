import { validationError } from '@fairlead/errors/api-error';
import { jsonBytes, LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { LazyValue } from '@fairlead/service-kit/json/lazy-json';
import { z } from 'zod';
import { MAX_QUERY_CHARACTERS, SEARCH_RESULTS } from '../../domain/browsing-tools.ts';
import { visibleTools } from '../../domain/server-tool.ts';
import type { ServerTool, ServerTools } from '../../domain/server-tool.ts';
import { argumentIssue, argumentValues } from '../../endpoint/tool-arguments.ts';
import type { ToolArguments } from '../../endpoint/tool-arguments.ts';
import { successResult } from '../../endpoint/tool-result.ts';
import type { ToolResult } from '../../endpoint/tool-result.ts';
import type { ToolSearch } from '../../ports/tool-search.ts';

export interface SearchToolsDeps {
  readonly toolSearch: ToolSearch;
}

const query = { error: `must be a text of at most ${MAX_QUERY_CHARACTERS} characters` };
const searching = z.object({
  query: z.string(query).max(MAX_QUERY_CHARACTERS, query).default(''),
  limit: integer(1, SEARCH_RESULTS.most).default(SEARCH_RESULTS.default),
  offset: integer(0, 10_000).default(0),
});

/** Length of descriptions in results; describe_tool shows the rest. */
const SUMMARY_CHARACTERS = 300;

/** The tools that match a query, best first, without schemas. VALIDATION_ERROR for malformed arguments. */
export async function searchTools(
  { toolSearch }: SearchToolsDeps,
  tools: ServerTools,
  args: ToolArguments,
): Promise<ToolResult> {
  const { query: words, limit, offset } = searchArguments(args);
  const names = await toolSearch.find(visibleTools(tools), words);
  const items = names.slice(offset, offset + limit).flatMap((name) => {
    const tool = tools.get(name);
    return tool === undefined ? [] : [summaryOf(tool)];
  });
  return successResult(jsonBytes({ tools: items, totalCount: names.length }), false);
}

function searchArguments(args: ToolArguments): z.output<typeof searching> {
  const read = searching.safeParse(argumentValues(args, Object.keys(searching.shape)));
  if (read.success) return read.data;
  const byField = new Map(read.error.issues.map(({ path, message }) => [String(path[0]), message]));
  throw validationError(...[...byField].map(([name, issue]) => argumentIssue(name, issue)));
}

function integer(least: number, most: number): z.ZodNumber {
  const issue = { error: `must be an integer from ${least} to ${most}` };
  return z.int(issue).min(least, issue).max(most, issue);
}

/** The members by which a model chooses a tool. */
function summaryOf({ name, listed }: ServerTool): LazyValue {
  const { title, description, annotations } = new LazyJson(listed.bytes, 'tool').parseObject();
  return {
    name,
    ...(title !== undefined && { title }),
    ...(typeof description === 'string' && { description: shortened(description) }),
    ...(annotations !== undefined && { annotations }),
  };
}

function shortened(text: string): string {
  const characters = Array.from(text);
  return characters.length <= SUMMARY_CHARACTERS
    ? text
    : `${characters.slice(0, SUMMARY_CHARACTERS - 1).join('')}…`;
}
