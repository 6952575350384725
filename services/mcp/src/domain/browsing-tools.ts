import { jsonBytes, LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { listTokens } from './list-cost.ts';
import { applicationOf, visibleTools } from './server-tool.ts';
import type { ToolEntry, ServerTool, ServerTools } from './server-tool.ts';

/** The tools that a server lists instead of its own, if its own would use too much of a model's context. */
export interface BrowsingTools {
  readonly listed: readonly ToolEntry[];
  /** Which browsing tool has that name; undefined: none. */
  purposeOf(name: string): BrowsingPurpose | undefined;
}

export type BrowsingPurpose = 'search' | 'describe' | 'call';

type Names = Readonly<Record<BrowsingPurpose, string>>;

/** Number of search results: default and maximum. */
export const SEARCH_RESULTS = { default: 10, most: 50 } as const;
export const MAX_QUERY_CHARACTERS = 1_000;

const MAX_APPLICATIONS = 20;
const READING = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
const CALLING = { readOnlyHint: false, destructiveHint: true, idempotentHint: false };

/**
 * The browsing tools of a server; undefined if its list is within the token budget, or if there is no budget (null). Their names differ
 * from all other tools' of the server.
 */
export function browsingTools(tools: ServerTools, contextBudget: number | null): BrowsingTools | undefined {
  const visible = visibleTools(tools);
  if (contextBudget === null || listTokens(visible) <= contextBudget) return undefined;
  const names: Names = {
    search: freeName('search_tools', tools),
    describe: freeName('describe_tool', tools),
    call: freeName('call_tool', tools),
  };
  const purposes = new Map<string, BrowsingPurpose>([
    [names.search, 'search'],
    [names.describe, 'describe'],
    [names.call, 'call'],
  ]);
  return {
    listed: entries(names, applicationsOf(visible)).map((entry) => ({
      name: entry.name,
      isHeld: false,
      listed: new LazyJson(jsonBytes(entry)),
    })),
    purposeOf: (name) => purposes.get(name),
  };
}

function freeName(name: string, tools: ServerTools): string {
  if (!tools.has(name)) return name;
  for (let count = 2; ; count += 1) {
    const other = `${name}_${count}`;
    if (!tools.has(other)) return other;
  }
}

function entries({ search, describe, call }: Names, applications: string) {
  return [
    {
      name: search,
      title: 'Search tools',
      description: `Finds tools of this server, which has too many to list them all.${applications} Read the inputs of a tool with ${describe}, then call it with ${call}.`,
      inputSchema: {
        type: 'object',
        properties: {
          query: {
            type: 'string',
            description: 'Words that say what the tool does. Empty or absent: all tools, by name.',
          },
          limit: {
            type: 'integer',
            description: `The number of tools to return, from 1 to ${SEARCH_RESULTS.most}; by default ${SEARCH_RESULTS.default}.`,
          },
          offset: { type: 'integer', description: 'The number of tools to skip; by default 0.' },
        },
      },
      annotations: READING,
    },
    {
      name: describe,
      title: 'Describe a tool',
      description: `Shows a tool of this server with the schema of its inputs. Find its name with ${search}.`,
      inputSchema: {
        type: 'object',
        properties: { name: { type: 'string', description: 'The name of the tool.' } },
        required: ['name'],
      },
      annotations: READING,
    },
    {
      name: call,
      title: 'Call a tool',
      description: `Calls a tool of this server. Read the schema of its inputs with ${describe} first.`,
      inputSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'The name of the tool.' },
          arguments: { type: 'object', description: 'The inputs of the tool, as its schema says.' },
        },
        required: ['name'],
      },
      annotations: CALLING,
    },
  ];
}

/** A sentence with the names of the tools' applications, as many as fit into a description. */
function applicationsOf(tools: readonly Pick<ServerTool, 'target'>[]): string {
  const slugs = [...new Set(tools.map(applicationOf))].toSorted();
  if (slugs.length === 0) return '';
  const more = slugs.length > MAX_APPLICATIONS ? `, and ${slugs.length - MAX_APPLICATIONS} more` : '';
  return ` Its applications: ${slugs.slice(0, MAX_APPLICATIONS).join(', ')}${more}.`;
}
