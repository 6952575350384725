import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { createLexicalIndex } from '@fairlead/lexical-index/lexical-index';
import type { SearchIndex, SearchText } from '@fairlead/lexical-index/search-index';
import { rememberRecent } from '@fairlead/service-kit/cache/recent-entries';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { applicationOf } from '../domain/server-tool.ts';
import type { ServerTool } from '../domain/server-tool.ts';
import type { ToolSearch } from '../ports/tool-search.ts';

const READ_AT_ONCE = 50;

/** A search that caches its last `capacity` indexes, because most lists are unchanged between searches. */
export function createToolSearch(capacity: number): ToolSearch {
  const recent = new Map<string, Promise<SearchIndex<SearchText>>>();
  return {
    async find(tools, query) {
      if (query.trim() === '') return tools.map(({ name }) => name).toSorted();
      const key = digestOf(tools);
      const known = recent.get(key) ?? indexOf(tools);
      rememberRecent(recent, key, known, capacity);
      const hits = await (await known).search(query);
      return hits
        .toSorted((a, b) => b.score - a.score || (a.item.slug < b.item.slug ? -1 : 1))
        .map(({ item }) => item.slug);
    },
  };
}

/** A digest of all inputs of an index. */
function digestOf(tools: readonly ServerTool[]): string {
  const hash = createHash('sha256');
  for (const tool of tools) hash.update(`${tool.name} ${applicationOf(tool)} `).update(tool.listed.bytes);
  return hash.digest('base64');
}

async function indexOf(tools: readonly ServerTool[]): Promise<SearchIndex<SearchText>> {
  const texts: SearchText[] = [];
  for (const tool of tools) {
    texts.push(textsOf(tool));
    // Yields, so that other requests get a turn.
    if (texts.length % READ_AT_ONCE === 0) await setImmediate();
  }
  return createLexicalIndex(texts, (text) => text);
}

function textsOf(tool: ServerTool): SearchText {
  // Parses a new LazyJson, because `listed` itself would keep its parsed value in memory.
  const { title, description } = new LazyJson(tool.listed.bytes, 'tool').parseObject();
  return {
    slug: tool.name,
    name: typeof title === 'string' ? title : '',
    description: typeof description === 'string' ? description : '',
    category: '',
    application: applicationOf(tool),
  };
}
