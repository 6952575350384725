import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { ToolSummary } from '../domain/tool-summary.ts';
import type { Toolset } from '../domain/toolset.ts';
import type { ToolLists } from '../ports/tool-lists.ts';
import { compareTools } from '../domain/tool-summary.ts';
import type { ExecutionPorts } from '../ports/execution-ports.ts';

const NOON = new Date('2026-11-21T12:00:00.000Z');

/** A toolset with one connection and no further limits, unless overridden. */
export function toolset(o: Partial<Toolset> = {}): Toolset {
  return {
    id: '0b7c9d1e-5f2a-4b3c-8d4e-6f708192a3b4',
    name: 'Sales',
    description: '',
    connectionIds: [7],
    tools: null,
    workflowTokens: [],
    policy: null,
    createdAt: NOON,
    updatedAt: NOON,
    revision: 0,
    ...o,
  };
}

/** A tool of the application `crm`, named like its slug, unless overridden. */
export function newToolSummary(toolSlug: string, o: Partial<ToolSummary> = {}): ToolSummary {
  return {
    toolSlug,
    aliases: [],
    identities: [toolSlug, ...(o.aliases ?? [])].map((slug) => `slug ${slug}`),
    toolName: toolSlug,
    description: '',
    category: 'CRM',
    applicationSlug: 'crm',
    applicationName: 'CRM',
    version: '1.0.0',
    isDeprecated: false,
    inputSchema: LazyJson.of({ type: 'object' }),
    outputSchema: LazyJson.of({ type: 'object' }),
    supportsFilters: false,
    supportsSort: false,
    supportsTopOffset: false,
    maxFilters: 0,
    maxSorts: 0,
    createdAt: NOON,
    updatedAt: NOON,
    ...o,
  };
}

/** Lists of a catalogue with these tools; a slug that begins with `list-` belongs to a tool without effects. */
export function toolListsOf(...tools: readonly ToolSummary[]): Pick<ToolLists, 'listChosen'> {
  return {
    listChosen(_ctx, choice, { offset, top }) {
      const isChosen = (tool: ToolSummary): boolean =>
        'tools' in choice
          ? choice.tools.some(
              ({ applicationSlug, toolSlug, identity }) =>
                applicationSlug === tool.applicationSlug &&
                (identity === undefined
                  ? [tool.toolSlug, ...tool.aliases].includes(toolSlug)
                  : tool.identities.includes(identity)),
            )
          : choice.applicationSlugs.includes(tool.applicationSlug);
      const { isReadOnly = false } = choice;
      const chosen = tools
        .filter((tool) => isChosen(tool) && (!isReadOnly || tool.toolSlug.startsWith('list-')))
        .toSorted(compareTools);
      return Promise.resolve({ items: chosen.slice(offset, offset + top), totalCount: chosen.length });
    },
  };
}

/** Rules of an account without toolsets: no call is restricted, and every caller may act. */
export const withoutToolsets: Pick<
  ExecutionPorts,
  'toolsets' | 'hourlyCalls' | 'approvals' | 'fingerprints' | 'vendorLimits' | 'callers'
> = {
  callers: { requireCurrent: () => Promise.resolve() },
  vendorLimits: { until: () => undefined, note: () => undefined },
  toolsets: { find: () => Promise.resolve(undefined) },
  hourlyCalls: { take: () => Promise.reject(new Error('No call has a toolset.')) },
  approvals: {
    find: () => Promise.resolve(undefined),
    findOfCall: () => Promise.reject(new Error('No call has a toolset.')),
    open: () => Promise.reject(new Error('No call has a toolset.')),
    claim: () => Promise.reject(new Error('No call has a toolset.')),
    remove: () => Promise.reject(new Error('No call has a toolset.')),
    release: () => Promise.reject(new Error('No call has a toolset.')),
  },
  fingerprints: { of: (text) => [text] },
};
