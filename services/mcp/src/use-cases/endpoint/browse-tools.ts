import { unknownSlug, validationError } from '@fairlead/errors/api-error';
import type { ApiError, FieldIssue } from '@fairlead/errors/api-error';
import { objectSlices } from '@fairlead/service-kit/json/json-slices';
import { jsonBytes, LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { LazyValue } from '@fairlead/service-kit/json/lazy-json';
import { z } from 'zod';
import { MAX_QUERY_CHARACTERS, SEARCH_RESULTS } from '../../domain/browsing-tools.ts';
import type { ServedTool, ServedTools } from '../../domain/served-tool.ts';
import type { ToolSearch } from '../../ports/tool-search.ts';
import { successResult } from '../../endpoint/tool-result.ts';
import type { ToolResult } from '../../endpoint/tool-result.ts';

export interface BrowseToolsDeps {
  readonly toolSearch: ToolSearch;
}

/** JSON of each argument, as it was sent. */
type Arguments = Readonly<Record<string, Uint8Array>>;

/** A call of a tool of the server. */
export interface NamedCall {
  readonly tool: ServedTool;
  readonly fields: Arguments;
}

const query = { error: `must be a text of at most ${MAX_QUERY_CHARACTERS} characters` };
const searching = z.object({
  query: z.string(query).max(MAX_QUERY_CHARACTERS, query).default(''),
  limit: integer(1, SEARCH_RESULTS.most).default(SEARCH_RESULTS.default),
  offset: integer(0, 10_000).default(0),
});

const MAX_CANDIDATES = 3;
/** The rest of a description is shown by describe_tool. */
const SUMMARY_CHARACTERS = 300;

/** The tools that match a query, the best first, without their schemas. VALIDATION_ERROR for arguments of the wrong form. */
export async function searchTools(
  { toolSearch }: BrowseToolsDeps,
  tools: ServedTools,
  args: Arguments,
): Promise<ToolResult> {
  const { query, limit, offset } = searchArguments(args);
  const names = await toolSearch.find(visibleTools(tools), query);
  const items = names.slice(offset, offset + limit).flatMap((name) => {
    const tool = tools.get(name);
    return tool === undefined ? [] : [summaryOf(tool)];
  });
  return result({ tools: items, totalCount: names.length });
}

/** A tool as the whole list would show it. NOT_FOUND with the names of similar ones if the server lists none of that name. */
export async function describeServedTool(
  deps: BrowseToolsDeps,
  tools: ServedTools,
  args: Arguments,
): Promise<ToolResult> {
  const name = nameIn(args);
  const tool = tools.get(name);
  if (tool === undefined || tool.isHeld) throw await unknownTool(deps, tools, name);
  return successResult(tool.listed.bytes, false);
}

/** The call that call_tool makes. NOT_FOUND with the names of similar tools if the server has none of that name. */
export async function namedCall(
  deps: BrowseToolsDeps,
  tools: ServedTools,
  args: Arguments,
): Promise<NamedCall> {
  const name = nameIn(args);
  const tool = tools.get(name);
  if (tool === undefined) throw await unknownTool(deps, tools, name);
  const { arguments: given } = args;
  const members = given === undefined ? new Map<string, Uint8Array>() : objectSlices(given);
  if (members === undefined) throw validationError(issueOf('arguments', 'must be an object'));
  return { tool, fields: Object.fromEntries(members) };
}

function visibleTools(tools: ServedTools): readonly ServedTool[] {
  return [...tools.values()].filter(({ isHeld }) => !isHeld);
}

function searchArguments(args: Arguments): z.output<typeof searching> {
  const read = searching.safeParse(valuesOf(args, Object.keys(searching.shape)));
  if (read.success) return read.data;
  const byField = new Map(read.error.issues.map(({ path, message }) => [String(path[0]), message]));
  throw validationError(...[...byField].map(([name, issue]) => issueOf(name, issue)));
}

function integer(least: number, most: number): z.ZodNumber {
  const issue = { error: `must be an integer from ${least} to ${most}` };
  return z.int(issue).min(least, issue).max(most, issue);
}

function nameIn(args: Arguments): string {
  const { name } = valuesOf(args, ['name']);
  if (typeof name === 'string') return name;
  throw validationError(issueOf('name', 'must be a text'));
}

function issueOf(name: string, issue: string): FieldIssue {
  return { field: `fields.${name}`, issue };
}

/** The values of these arguments; an argument that is null counts as absent. */
function valuesOf(args: Arguments, names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    names.map((name) => {
      const json = args[name];
      const value = json && new LazyJson(json, `fields.${name}`).parse();
      return [name, value ?? undefined];
    }),
  );
}

/** The members by which a model chooses a tool. */
function summaryOf({ name, listed }: ServedTool): LazyValue {
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

async function unknownTool(
  { toolSearch }: BrowseToolsDeps,
  tools: ServedTools,
  name: string,
): Promise<ApiError> {
  const words = name.slice(0, MAX_QUERY_CHARACTERS).replaceAll(/[^\p{L}\p{N}]+/gu, ' ');
  const found = words.trim() === '' ? [] : await toolSearch.find(visibleTools(tools), words);
  return unknownSlug('tool', name, found.slice(0, MAX_CANDIDATES));
}

function result(value: LazyValue): ToolResult {
  return successResult(jsonBytes(value), false);
}
