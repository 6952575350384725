// The MCP servers of servers.yaml: published ones, as their registry has them, with their dependencies.
import { checkPackages } from '../check-packages.ts';
import type { PackageCase } from '../check-packages.ts';

const CASES: Readonly<Record<string, PackageCase>> = {
  '@notionhq/notion-mcp-server': {
    method: 0,
    fields: { token: 'ntn_1' },
    action: 'API-get-users',
    props: { page_size: 5 },
    request: 'GET https://api.notion.com/v1/users',
    credential: ['authorization', 'Bearer ntn_1'],
    answer: { object: 'list', results: [{ id: 'u1', name: 'Ada' }] },
    output: 'Ada',
  },
  '@brave/brave-search-mcp-server': {
    method: 0,
    fields: { apiKey: 'key' },
    action: 'brave_web_search',
    props: { query: 'lighthouse' },
    request: 'GET https://api.search.brave.com/res/v1/web/search',
    credential: ['x-subscription-token', 'key'],
    answer: {
      type: 'search',
      web: {
        type: 'search',
        results: [{ title: 'Lighthouse', url: 'https://a.example.com', description: 'A tower.' }],
      },
    },
    output: 'A tower.',
  },
  'tavily-mcp': {
    method: 0,
    fields: { apiKey: 'tvly-1' },
    action: 'tavily_search',
    props: { query: 'lighthouse' },
    request: 'POST https://api.tavily.com/search',
    credential: ['authorization', 'Bearer tvly-1'],
    answer: {
      query: 'lighthouse',
      results: [{ title: 'Lighthouse', url: 'https://a.example.com', content: 'A tower.', score: 1 }],
    },
    output: 'A tower.',
  },
  '@modelcontextprotocol/server-everything': {
    method: 0,
    fields: {},
    action: 'get-structured-content',
    props: { location: 'Chicago' },
    output: '"humidity"',
  },
};

await checkPackages(new URL('servers.yaml', import.meta.url), CASES);
