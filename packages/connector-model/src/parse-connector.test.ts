import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { encodeConnector, InvalidConnectorError } from './codec.ts';
import { compileConnectors } from './compile.ts';
import type { Connector } from './model.ts';
import { parseConnector } from './parse-connector.ts';
import { compiled, thingCreated } from './testing/manifest.ts';

const directory = fileURLToPath(new URL('../../../connectors/', import.meta.url));

async function mcpConnector(members: Partial<Connector> = {}): Promise<Connector> {
  const result = await compileConnectors(directory);
  const mcp = result.ok ? result.connectors.find(({ slug }) => slug === 'mcp') : undefined;
  if (mcp === undefined) throw new Error('no connector mcp');
  return { ...mcp, slug: 'mcp-7', name: 'Everything', tools: [echo], ...members };
}

const echo: Connector['tools'][number] = {
  toolSlug: 'echo',
  toolName: 'Echo',
  description: '',
  category: 'MCP',
  version: '0f3a5c',
  aliases: [],
  isDeprecated: false,
  inputSchema: { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', properties: {} },
  outputSchema: { type: 'object', properties: {} },
  retryClass: 'unsafe',
  isDestructive: true,
  filters: null,
  sorts: null,
  paging: null,
  execution: { type: 'mcp', toolName: 'echo' },
};

const issuesOf = (json: unknown) => issuesOfBytes(new TextEncoder().encode(JSON.stringify(json)));

function issuesOfBytes(bytes: Uint8Array): InvalidConnectorError['issues'] {
  try {
    parseConnector(bytes);
    return [];
  } catch (error) {
    if (error instanceof InvalidConnectorError) return error.issues;
    throw error;
  }
}

describe('parseConnector', () => {
  it('accepts the application of an MCP server unchanged, including schemas of other dialects', async () => {
    const connector = await mcpConnector();
    const toolsJson = Buffer.from(JSON.stringify(connector.tools));
    expect(parseConnector(encodeConnector(connector, toolsJson))).toEqual(connector);
  });

  it('does not compile a foreign schema', async () => {
    const useless = { type: 'object', properties: { a: { type: 'no such type', pattern: '(' } } };
    expect(issuesOf(await mcpConnector({ tools: [{ ...echo, inputSchema: useless }] }))).toEqual([]);
  });

  it('names every problem with its path', async () => {
    const connector = await mcpConnector({ tools: [echo, { ...echo, toolSlug: 'Echo Two' }] });
    expect(issuesOf({ ...connector, kind: 'Sideways' })).toMatchObject([
      { path: 'kind' },
      { path: 'tools[1].toolSlug' },
    ]);
  });

  it.each([[null], ['text'], [[]], [{}]])('refuses %j', (json) => {
    expect(issuesOf(json).length).toBeGreaterThan(0);
  });

  it('refuses bytes that are not JSON', () => {
    expect(() => parseConnector(new Uint8Array())).toThrow('is not JSON');
  });

  it.each([[null], [[]], ['object']])('refuses %j in place of a schema', async (schema) => {
    const connector = await mcpConnector();
    expect(issuesOf({ ...connector, tools: [{ ...echo, inputSchema: schema }] })).toEqual([
      { path: 'tools[0].inputSchema', message: 'must be a JSON object' },
    ]);
  });

  it('drops members that the model does not know', async () => {
    const connector = await mcpConnector();
    const bytes = new TextEncoder().encode(JSON.stringify({ ...connector, region: 'eu' }));
    expect(parseConnector(bytes)).toEqual(connector);
  });

  it('refuses handlers, settings and trigger types: they are reserved for the platform', async () => {
    const handler = { ...echo, execution: { type: 'handler', handler: 'steal' } } as const;
    const { triggerTypes } = compiled({ triggerTypes: [thingCreated] });
    const connector = await mcpConnector({ settings: ['baseUrl'], tools: [handler], triggerTypes });
    const paths = issuesOf(connector).map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['settings', 'tools[0].execution', 'triggerTypes']));
  });

  it('applies the rules of the compile step', async () => {
    expect(issuesOf(await mcpConnector({ tools: [echo, echo] }))).toMatchObject([
      { path: 'tools[1].toolSlug' },
    ]);
  });

  it('refuses JSON that is nested too deep before checking it', () => {
    const deep = `${'{"a":'.repeat(500_000)}1${'}'.repeat(500_000)}`;
    expect(issuesOfBytes(new TextEncoder().encode(deep))).toMatchObject([
      { path: '', message: expect.stringContaining('nested deeper') as string },
    ]);
  });

  it('refuses a schema above 64 KiB and a connector above 8 MiB', async () => {
    const large = { ...echo, inputSchema: { type: 'object', description: 'x'.repeat(64 * 1024) } };
    expect(issuesOf(await mcpConnector({ tools: [large] }))).toMatchObject([
      { path: 'tools[0].inputSchema' },
    ]);
    const many = Array.from({ length: 200 }, (_, index) => ({ ...large, toolSlug: `echo-${String(index)}` }));
    expect(issuesOf(await mcpConnector({ tools: many }))).toMatchObject([
      { path: '', message: expect.stringContaining('8 MiB') as string },
    ]);
  });

  it('lists 50 problems at most', async () => {
    const tools = Array.from({ length: 80 }, () => ({ ...echo, toolSlug: '!' }));
    expect(issuesOf(await mcpConnector({ tools }))).toHaveLength(50);
  });
});
