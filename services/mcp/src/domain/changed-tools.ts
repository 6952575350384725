import type { DefinedTool, ToolDefinition } from './tool-definition.ts';

/** Identifies a tool of an application. */
interface ToolReference {
  readonly applicationSlug: string;
  readonly toolSlug: string;
}

/** A definition that differs from the served one. */
export interface ChangedDefinition extends ToolDefinition {
  /** When the change was first detected. */
  readonly at: Date;
}

/** The stored definition of a tool that a server serves. */
export interface ServedDefinition extends ToolReference {
  /** The first served definition, or the last accepted one. */
  readonly definition: ToolDefinition;
  /** The changed definition; undefined: none is known. */
  readonly changed?: ChangedDefinition;
}

/** A held tool: it is not served because its definition has changed. */
export interface ChangedTool extends ToolReference {
  readonly changed: ChangedDefinition;
}

/** The differences between a server's tools and their stored definitions. */
export interface Comparison {
  readonly held: readonly ChangedTool[];
  /** New definitions to store. */
  readonly added: readonly ServedDefinition[];
  /** Held tools whose change must be stored. */
  readonly changed: readonly ChangedTool[];
  /** Tools that have returned to their stored definition. */
  readonly restored: readonly ToolReference[];
}

/**
 * Compares tools with the stored definitions of a server. A tool without one is served unchanged. If a server gave its tool another slug,
 * the definition under the former slug counts.
 */
export function compareDefinitions(
  stored: readonly ServedDefinition[],
  tools: readonly DefinedTool[],
  now: Date,
): Comparison {
  const bySlug = new Map(stored.map((it) => [slugKey(it), it]));
  const byName = new Map(stored.map((it) => [nameKey(it), it.definition]));
  const held: ChangedTool[] = [];
  const added: ServedDefinition[] = [];
  const changed: ChangedTool[] = [];
  const restored: ToolReference[] = [];
  for (const { applicationSlug, toolSlug, definition } of distinct(tools)) {
    const tool = { applicationSlug, toolSlug };
    const own = bySlug.get(slugKey(tool));
    const served = own?.definition ?? byName.get(nameKey({ applicationSlug, definition })) ?? definition;
    if (isSame(served, definition)) {
      if (own === undefined) added.push({ ...tool, definition });
      else if (own.changed !== undefined) restored.push(tool);
      continue;
    }
    const known = own?.changed !== undefined && isSame(own.changed, definition) ? own.changed : undefined;
    const change = { ...tool, changed: known ?? { ...definition, at: now } };
    held.push(change);
    if (own === undefined) added.push({ ...change, definition: served });
    else if (known === undefined) changed.push(change);
  }
  return { held, added, changed, restored };
}

/** Key of the tool, the same for all its connections. */
export function slugKey({ applicationSlug, toolSlug }: ToolReference): string {
  // A space separates the slugs, because none contains one.
  return `${applicationSlug} ${toolSlug}`;
}

function nameKey({ applicationSlug, definition }: Omit<DefinedTool, 'toolSlug'>): string {
  return `${applicationSlug} ${definition.upstreamName}`;
}

function isSame(a: ToolDefinition, b: ToolDefinition): boolean {
  return a.upstreamName === b.upstreamName && a.fingerprint === b.fingerprint;
}

/** Without duplicates: several connections may have the same tool. */
function distinct(tools: readonly DefinedTool[]): Iterable<DefinedTool> {
  return new Map(tools.map((tool) => [slugKey(tool), tool])).values();
}
