import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { createCatalogueView } from '../domain/catalogue-view.ts';
import { createApplicationList } from '../domain/application-list.ts';
import { createLexicalIndex } from '@fairlead/lexical-index/lexical-index';
import { catalogued, testConnector, testTool } from '../testing/connectors.ts';
import { listChosenTools } from './list-chosen-tools.ts';
import type { ChosenToolsQuery } from './list-chosen-tools.ts';

const platform = [
  testConnector('crm', { tools: [testTool('send-mail', { retryClass: 'unsafe' }), testTool('list-deals')] }),
  testConnector('mail', { tools: [testTool('send-mail', { retryClass: 'unsafe' })] }),
  testConnector('shop', { isMcpEnabled: false, tools: [testTool('list-orders')] }),
];
const moved = testTool('delete-item-1', { execution: { type: 'mcp', toolName: 'DeleteItem' } });
const added = testTool('delete-item', { execution: { type: 'mcp', toolName: 'delete-item' } });
const own = {
  ...catalogued(testConnector('mcp-7', { tools: [testTool('list-orders'), moved, added] })),
  owner: 'account' as const,
};
const view = createCatalogueView(
  createApplicationList(platform.map(catalogued), createLexicalIndex),
  createApplicationList([own], createLexicalIndex),
);
const catalogue = { view: () => Promise.resolve(view) };

async function chosen(
  choice: ChosenToolsQuery['choice'],
  page = { offset: 0, top: 100 },
  { isReadOnly = false, isMcpEnabled = false }: Partial<ChosenToolsQuery> = {},
) {
  const query = { choice, isReadOnly, isMcpEnabled, page };
  const { items, totalCount } = await listChosenTools({ catalogue }, testContext(), query);
  return [
    ...items.map(({ application, tool }) => `${application.connector.slug}/${tool.toolSlug}`),
    totalCount,
  ];
}

it('lists every tool of the applications, by name, a page at a time', async () => {
  const choice = { applicationSlugs: ['mail', 'crm', 'gone'] };
  expect(await chosen(choice)).toEqual(['crm/list-deals', 'crm/send-mail', 'mail/send-mail', 3]);
  expect(await chosen(choice, { offset: 1, top: 1 })).toEqual(['crm/send-mail', 3]);
  expect(await chosen({ applicationSlugs: [] })).toEqual([0]);
});

it('lists the named tools that exist, by name, each once', async () => {
  const tools = [
    { applicationSlug: 'mail', toolSlug: 'send-mail' },
    { applicationSlug: 'crm', toolSlug: 'list-deals' },
    { applicationSlug: 'mail', toolSlug: 'send-mail' },
    { applicationSlug: 'mail', toolSlug: 'list-deals' },
    { applicationSlug: 'gone', toolSlug: 'send-mail' },
  ].map((tool) => ({ ...tool, identity: '' }));
  expect(await chosen({ tools })).toEqual(['crm/list-deals', 'mail/send-mail', 2]);
  expect(await chosen({ tools: [] })).toEqual([0]);
});

it('leaves out the tools that may change something, whatever an account’s own say, before it counts', async () => {
  const page = { offset: 0, top: 100 };
  const applicationSlugs = ['mail', 'crm', 'mcp-7'];
  expect(await chosen({ applicationSlugs }, page, { isReadOnly: true })).toEqual(['crm/list-deals', 1]);
});

it('leaves out the tools of applications that may not be served on MCP servers, however they are chosen', async () => {
  const page = { offset: 0, top: 100 };
  const applicationSlugs = ['shop', 'mcp-7'];
  const served = ['mcp-7/delete-item', 'mcp-7/delete-item-1', 'mcp-7/list-orders', 3];
  expect(await chosen({ applicationSlugs }, page, { isMcpEnabled: true })).toEqual(served);
  const tools = applicationSlugs.map((applicationSlug) => ({
    applicationSlug,
    toolSlug: 'list-orders',
    identity: '',
  }));
  expect(await chosen({ tools }, page, { isMcpEnabled: true })).toEqual(['mcp-7/list-orders', 1]);
  expect(await chosen({ tools })).toEqual(['mcp-7/list-orders', 'shop/list-orders', 2]);
});

it('lists a tool by its identity, wherever its slug has gone', async () => {
  const tool = { applicationSlug: 'mcp-7', toolSlug: 'delete-item' };
  expect(await chosen({ tools: [{ ...tool, identity: 'mcp mcp-7 DeleteItem' }] })).toEqual([
    'mcp-7/delete-item-1',
    1,
  ]);
  expect(await chosen({ tools: [{ ...tool, identity: 'mcp mcp-7 gone' }] })).toEqual([0]);
  const elsewhere = { ...tool, applicationSlug: 'mcp-8', identity: 'mcp mcp-7 DeleteItem' };
  expect(await chosen({ tools: [elsewhere] })).toEqual([0]);
});
