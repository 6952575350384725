import { createHash } from 'node:crypto';

/** A tool that needs a name on a server. */
export interface NameableTool {
  /** The connection that has it; undefined: it is a workflow. */
  readonly connectionId: number | undefined;
  readonly applicationSlug: string;
  readonly toolSlug: string;
  /** The tool's name at its MCP server; empty: it comes from no MCP server. */
  readonly upstreamName: string;
}

/** The client Cursor limits the names of server and tool to 60 characters together. */
const MAX_LENGTH = 45;
const LEGAL = /^[A-Za-z0-9_-]{1,45}$/;
const HASH_LENGTH = 8;

/**
 * A unique name of at most 45 characters for each tool: the upstream's own, or its slug. If several tools have the same, the connection
 * with the lowest id keeps it, and the others get a hash, as does an illegal name. Names depend only on the set of tools.
 */
export function toolNames<T extends NameableTool>(tools: readonly T[]): ReadonlyMap<T, string> {
  const ordered = tools.toSorted(compare);
  const taken = new Set<string>();
  const names = new Map<T, string>();
  for (const tool of ordered) {
    const name = plainName(tool);
    if (name === undefined || taken.has(name)) continue;
    taken.add(name);
    names.set(tool, name);
  }
  for (const tool of ordered) {
    if (names.has(tool)) continue;
    let name = hashedName(tool, 0);
    for (let round = 1; taken.has(name); round += 1) name = hashedName(tool, round);
    taken.add(name);
    names.set(tool, name);
  }
  return names;
}

function plainName({ upstreamName, toolSlug }: NameableTool): string | undefined {
  return [upstreamName, toolSlug].find((name) => LEGAL.test(name));
}

function hashedName(tool: NameableTool, round: number): string {
  const { connectionId, applicationSlug, upstreamName, toolSlug } = tool;
  const identity = JSON.stringify([connectionId ?? null, applicationSlug, upstreamName, toolSlug, round]);
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, HASH_LENGTH);
  const stem = (upstreamName || toolSlug).replaceAll(/[^A-Za-z0-9_-]/g, '_');
  return `${stem.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hash}`;
}

/** Connections by id, then workflows. */
function compare(a: NameableTool, b: NameableTool): number {
  return (
    (a.connectionId ?? Infinity) - (b.connectionId ?? Infinity) ||
    compareText(a.applicationSlug, b.applicationSlug) ||
    compareText(a.toolSlug, b.toolSlug) ||
    compareText(a.upstreamName, b.upstreamName)
  );
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
