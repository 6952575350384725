import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { CommonJson } from './common-json.ts';
import type { ToolEntry } from './server-tool.ts';

/** Bytes per page; a page has at least one tool. */
const MAX_TOOLS = 1_000;
const MAX_BYTES = 1024 * 1024;

/** Final members of an entry where clients may request a task (MCP 2025-11-25); other versions do not have them. */
const TASK_SUPPORT = Buffer.from(',"execution":{"taskSupport":"optional"}}');

/** One page of a list of tools. */
export interface ListPage {
  /** JSON of the tools. */
  readonly tools: LazyJson;
  readonly count: number;
  /** Cursor of the next page; undefined: this is the last one. */
  readonly nextCursor: string | undefined;
}

/** A list of tools in pages; each page is rendered once. */
export interface ToolPages {
  /**
   * The page at a cursor, or the first; undefined for an invalid cursor. `hasTasks`: whether entries say that the tool can be called as a
   * task.
   */
  page(cursor: string | undefined, hasTasks: boolean): ListPage | undefined;
}

/** The pages of the tools that are not held, sorted by name. A cursor stays valid when tools are added or removed. */
export function toolPages(tools: readonly ToolEntry[]): ToolPages {
  const sorted = tools.filter(({ isHeld }) => !isHeld).sort((a, b) => (a.name < b.name ? -1 : 1));
  const pages = { tasks: new Map<number, ListPage>(), plain: new Map<number, ListPage>() };
  // Only pages of this list's own cursors are cached.
  const starts = new Set([0]);
  return {
    page(cursor, hasTasks) {
      const after = cursor === undefined ? '' : nameOf(cursor);
      if (after === undefined) return undefined;
      const found = sorted.findIndex(({ name }) => name > after);
      const start = found < 0 ? sorted.length : found;
      const kept = hasTasks ? pages.tasks : pages.plain;
      const known = kept.get(start);
      if (known !== undefined) return known;
      const made = pageFrom(sorted, start, hasTasks);
      if (!starts.has(start)) return made;
      const page = { ...made, tools: new CommonJson(made.tools.bytes) };
      kept.set(start, page);
      starts.add(start + page.count);
      return page;
    },
  };
}

function pageFrom(sorted: readonly ToolEntry[], start: number, hasTasks: boolean): ListPage {
  const items: ToolEntry[] = [];
  let bytes = 0;
  for (const tool of sorted.slice(start, start + MAX_TOOLS)) {
    bytes += tool.listed.bytes.length + TASK_SUPPORT.length;
    if (items.length > 0 && bytes > MAX_BYTES) break;
    items.push(tool);
  }
  const last = items.at(-1);
  const isEnd = last === undefined || start + items.length >= sorted.length;
  return {
    tools: new LazyJson(Buffer.concat(jsonParts(items, hasTasks))),
    count: items.length,
    nextCursor: isEnd ? undefined : Buffer.from(last.name).toString('base64url'),
  };
}

function jsonParts(items: readonly ToolEntry[], hasTasks: boolean): readonly Uint8Array[] {
  const comma = Buffer.from(',');
  const entries = items.flatMap(({ listed: { bytes } }, at) => [
    ...(at === 0 ? [] : [comma]),
    // Inserted before each entry's closing brace.
    ...(hasTasks ? [bytes.subarray(0, -1), TASK_SUPPORT] : [bytes]),
  ]);
  return [Buffer.from('['), ...entries, Buffer.from(']')];
}

/** The name of the last tool before a page; undefined for an invalid cursor. */
function nameOf(cursor: string): string | undefined {
  const name = Buffer.from(cursor, 'base64url').toString();
  return /^[A-Za-z0-9_-]{1,45}$/.test(name) && Buffer.from(name).toString('base64url') === cursor
    ? name
    : undefined;
}
