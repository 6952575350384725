import type { Fairlead } from '../fairlead.ts';
import type { ListToolsQuery, ToolDefinition } from '../gen/types.ts';
import { rememberApprovals } from './approvals.ts';
import { callTool, WORKFLOW } from './call-tool.ts';
import type { CallOutcome } from './call-tool.ts';

/** The dialect of JSON Schema that a model takes for a tool's inputs. */
export type SchemaProfile = NonNullable<ListToolsQuery['schemaProfile']>;

/** The part of a client that loads and calls tools. */
export type ToolClient = Pick<Fairlead, 'tools' | 'toolsets'>;

/** The tools of one toolset, whose connections and policy apply to every call. */
interface ToolsetSelection {
  readonly toolsetId: string;
  readonly applicationSlug?: never;
  readonly search?: never;
}

/** The tools of one application, those that a search finds, or both. */
type CatalogueSelection = { readonly toolsetId?: never } & (
  | { readonly applicationSlug: string; readonly search?: string | undefined }
  | { readonly applicationSlug?: undefined; readonly search: string }
);

/** Which tools a model gets, and whose connections their calls use. */
export type ToolSelection = (ToolsetSelection | CatalogueSelection) & {
  /** Only these of the tools. An unknown slug is an error. */
  readonly toolSlugs?: readonly string[] | undefined;
  /** Only the first tools, one or more: a search returns the most relevant tools first. Default: all. */
  readonly maxTools?: number | undefined;
  /** The connection of every call. Default: the toolset's, the end user's or the account's default one. */
  readonly connectionId?: number | undefined;
  /** The customer of your product whose connections the calls use. */
  readonly endUserId?: string | undefined;
  /** Cancels the loading. Calls take the signal of the framework. */
  readonly signal?: AbortSignal | undefined;
};

/** One tool, as a model sees it. */
export interface ModelTool {
  /** Unique in the selection; at most 64 letters, digits, hyphens and underscores. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the inputs, in the dialect that the tools were loaded in. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Executes the tool, as `callTool` does. */
  readonly call: (inputs: unknown, signal?: AbortSignal | null) => Promise<CallOutcome>;
}

/**
 * The tools of a selection, all pages of them, in the API's order. Rejects as the client's methods do, and with a TypeError
 * if one of `toolSlugs` is not there.
 */
export async function loadTools(
  client: ToolClient,
  selection: ToolSelection,
  schemaProfile: SchemaProfile | undefined,
): Promise<ModelTool[]> {
  const { toolsetId, endUserId, connectionId, maxTools = Infinity } = selection;
  const slugs = selection.toolSlugs && new Set(selection.toolSlugs);
  const approvals = rememberApprovals();
  const tools = new Map<string, ModelTool>();
  const missing = new Set(slugs);
  const records = new Set<string>();
  for await (const item of listTools(client, selection, schemaProfile)) {
    const { toolSlug, applicationSlug } = item;
    // A list that changes while it is read may repeat a tool.
    const record = `${applicationSlug}/${toolSlug}`;
    if (records.has(record) || slugs?.has(toolSlug) === false) continue;
    records.add(record);
    missing.delete(toolSlug);
    const tool = toModelTool(item);
    const target = {
      toolSlug,
      applicationSlug,
      toolsetId,
      endUserId,
      connectionId: applicationSlug === WORKFLOW ? undefined : connectionId,
      // With this dialect the API separates list arguments such as `top` from the inputs, and leaves the others unchanged.
      schemaProfile: schemaProfile ?? 'anthropic',
    };
    const call: ModelTool['call'] = (inputs, signal) =>
      callTool(client, target, { inputs, signal: signal ?? undefined, approvals });
    tools.set(tool.name, { ...tool, call });
    if (tools.size >= maxTools) break;
  }
  if (missing.size > 0 && tools.size < maxTools) {
    throw new TypeError(`Fairlead: not among the selected tools: ${[...missing].join(', ')}`);
  }
  return [...tools.values()];
}

/** The definitions of the selection. */
async function* listTools(
  client: ToolClient,
  { toolsetId, applicationSlug, search, maxTools, toolSlugs, signal }: ToolSelection,
  schemaProfile: SchemaProfile | undefined,
): AsyncGenerator<ToolDefinition, void, undefined> {
  const query = {
    format: 'vercel-ai',
    ...(schemaProfile !== undefined && { schemaProfile }),
    // A filter makes the number of records to read unpredictable.
    ...(maxTools !== undefined && toolSlugs === undefined && { top: Math.min(maxTools, 100) }),
  } as const;
  const items =
    toolsetId === undefined
      ? client.tools.iterate(
          { ...query, ...(applicationSlug !== undefined && { applicationSlug }), ...(search && { search }) },
          { signal },
        )
      : client.toolsets.iterateTools(toolsetId, query, { signal });
  for await (const item of items) if ('definition' in item) yield item;
}

/** The members of a definition of format vercel-ai. */
function toModelTool({ definition, toolSlug }: ToolDefinition): Omit<ModelTool, 'call'> {
  const { name, description, inputSchema } = definition;
  return {
    name: typeof name === 'string' ? name : toolSlug,
    description: typeof description === 'string' ? description : '',
    inputSchema:
      typeof inputSchema === 'object' && inputSchema !== null
        ? // A schema of the API is a JSON object.
          (inputSchema as ModelTool['inputSchema'])
        : { type: 'object' },
  };
}
