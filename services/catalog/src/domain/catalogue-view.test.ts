import { describe, expect, it } from 'vitest';
import { createLexicalIndex } from '@fairlead/lexical-index/lexical-index';
import { catalogued, testConnector, testTool } from '../testing/connectors.ts';
import type { Connector } from '@fairlead/connector-model/model';
import { createCatalogueView } from './catalogue-view.ts';
import { createApplicationList } from './application-list.ts';
import type { ApplicationList } from './application-list.ts';

const listOf = (...connectors: readonly Connector[]): ApplicationList =>
  createApplicationList(connectors.map(catalogued), createLexicalIndex);

const platform = listOf(
  testConnector('crm', {
    name: 'CRM',
    tools: [testTool('crm-list-contacts', { toolName: 'List contacts' })],
  }),
  testConnector('zoo', { tools: [testTool('feed', { toolName: 'Feed', description: 'platform' })] }),
);
const own = listOf(
  testConnector('mcp-1', {
    name: 'Animals',
    tools: [testTool('feed', { toolName: 'feed' }), testTool('list-contacts')],
  }),
);

describe('a catalogue view', () => {
  const view = createCatalogueView(platform, own);

  it('holds the platform’s and the account’s applications and tools in one order', () => {
    expect(view.applications().map(({ connector }) => connector.slug)).toEqual(['mcp-1', 'crm', 'zoo']);
    expect(
      view.tools(undefined).map(({ tool, application }) => [tool.toolSlug, application.connector.slug]),
    ).toEqual([
      ['feed', 'mcp-1'],
      ['feed', 'zoo'],
      ['crm-list-contacts', 'crm'],
      ['list-contacts', 'mcp-1'],
    ]);
  });

  it('finds every tool with a slug, ordered by application', () => {
    expect(view.findTools('feed').map(({ application }) => application.connector.slug)).toEqual([
      'mcp-1',
      'zoo',
    ]);
    expect(view.findTools('none')).toEqual([]);
  });

  it('searches both by relevance', async () => {
    const hits = await view.searchTools('list contacts');
    expect(hits[0]).toMatchObject({ score: 1, item: { tool: { toolSlug: 'crm-list-contacts' } } });
    expect(hits.map(({ item }) => item.tool.toolSlug)).toEqual(['crm-list-contacts', 'list-contacts']);
  });

  it('lists tools of both with the same score in catalogue order', async () => {
    const tools = (slugs: readonly string[]) =>
      slugs.map((slug) => testTool(slug, { toolName: 'Sync orders', description: '' }));
    const both = createCatalogueView(
      listOf(testConnector('shop', { name: 'Same', tools: tools(['d', 'a']) })),
      listOf(testConnector('mcp-1', { name: 'Same', tools: tools(['e', 'c', 'b']) })),
    );
    const hits = await both.searchTools('orders');
    expect(new Set(hits.map(({ score }) => score)).size).toBe(1);
    expect(hits.map(({ item }) => item.tool.toolSlug)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('shows nothing of an account to a view without it', async () => {
    const other = createCatalogueView(platform, undefined);
    expect(other.findApplication('mcp-1')).toBeUndefined();
    expect(other.findTools('list-contacts')).toEqual([]);
    expect(other.tools('mcp-1')).toEqual([]);
    expect(await other.searchApplications('animals')).toEqual([]);
  });
});

describe('a slug that the platform added after the account', () => {
  const view = createCatalogueView(
    platform,
    listOf(testConnector('zoo', { name: 'My zoo', tools: [testTool('pet')] })),
  );

  it('means the account’s own application everywhere', async () => {
    expect(view.findApplication('zoo')?.connector.name).toBe('My zoo');
    expect(view.applications().map(({ connector }) => connector.name)).toEqual(['CRM', 'My zoo']);
    expect(view.tools('zoo').map(({ tool }) => tool.toolSlug)).toEqual(['pet']);
    expect(view.findTools('feed')).toEqual([]);
    expect((await view.searchApplications('zoo')).map(({ item }) => item.connector.name)).toEqual(['My zoo']);
    expect(await view.searchTools('feed')).toEqual([]);
  });
});
