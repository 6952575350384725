import type { DefinedTool, ToolDefinition } from './tool-definition.ts';

/** Names a tool of an application. */
interface ToolReference {
  readonly applicationSlug: string;
  readonly toolSlug: string;
}

/** A definition that differs from the one that a server serves. */
export interface ChangedDefinition extends ToolDefinition {
  /** When the change was first seen. */
  readonly at: Date;
}

/** The definition with which a server serves a tool. */
export interface ServedDefinition extends ToolReference {
  /** The first one that was served, or the last one that was accepted. */
  readonly definition: ToolDefinition;
  /** Undefined: as far as is known, the tool has not changed. */
  readonly changed?: ChangedDefinition;
}

/** A tool that is held. */
export interface ChangedTool extends ToolReference {
  readonly changed: ChangedDefinition;
}

/** The difference between the tools of a server and the definitions that it serves. */
export interface Comparison {
  /** The tools that are held. */
  readonly held: readonly ChangedTool[];
  /** Definitions to store of tools that have none. */
  readonly added: readonly ServedDefinition[];
  /** The held tools whose change is to be stored. */
  readonly changed: readonly ChangedTool[];
  /** The tools that are again as they were. */
  readonly restored: readonly ToolReference[];
}

/**
 * Compares tools with the definitions that a server serves. A tool without one is served as it is, unless its server gave it another slug:
 * then its definition under the former slug counts.
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

/** A key of the tool, the same for each of its connections. */
export function slugKey({ applicationSlug, toolSlug }: ToolReference): string {
  // No slug has a space.
  return `${applicationSlug} ${toolSlug}`;
}

function nameKey({ applicationSlug, definition }: Omit<DefinedTool, 'toolSlug'>): string {
  return `${applicationSlug} ${definition.upstreamName}`;
}

function isSame(a: ToolDefinition, b: ToolDefinition): boolean {
  return a.upstreamName === b.upstreamName && a.fingerprint === b.fingerprint;
}

/** Each tool once: several connections may have it. */
function distinct(tools: readonly DefinedTool[]): Iterable<DefinedTool> {
  return new Map(tools.map((tool) => [slugKey(tool), tool])).values();
}
