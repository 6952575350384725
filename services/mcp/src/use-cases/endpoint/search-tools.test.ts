import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { jsonText } from '@fairlead/service-kit/json/lazy-json';
import { testContext } from '@fairlead/service-kit/testing/context';
import { describe, expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../../domain/mcp-server.ts';
import { createToolSearch } from '../../caches/tool-search.ts';
import type { ServerTool } from '../../domain/server-tool.ts';
import type { ToolCall } from '../../ports/tool-calls.ts';
import { unaryChannel } from '../../testing/clients.ts';
import { servedServer, servedTool, testServer } from '../../testing/served.ts';
import { MemoryTasks } from '../../testing/memory-tasks.ts';
import { ownConnections } from '../../testing/own-connections.ts';
import { callServerTool } from './call-server-tool.ts';

const listed = (name: string, title: string, description: string, o: Partial<ServerTool> = {}) =>
  servedTool(name, {
    listed: LazyJson.of({ name, title, description, inputSchema: { type: 'object', title: 'Schema' } }),
    ...o,
  });

const TOOLS = [
  listed('crm-create-invoice', 'Create an invoice', 'Bills a customer.', {
    schemaProfile: 'anthropic',
    target: { kind: 'tool', applicationSlug: 'crm', toolSlug: 'create-invoice', connectionId: 7 },
  }),
  listed('crm-list-contacts', 'List contacts', `Finds people. ${'é'.repeat(400)}`),
  listed('crm-changed', 'Changed', 'Invoices of a tool that changed.', { isHeld: true }),
];

/** A result as a client reads it. */
interface SearchResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent: {
    readonly tools: readonly { readonly name: string; readonly description: string }[];
  };
}

const textOf = ({ content }: Pick<SearchResult, 'content'>) => content.map(({ text }) => text).join();

function setUp(tools: readonly ServerTool[] = TOOLS) {
  const calls: ToolCall[] = [];
  const settings = { ...DEFAULT_SETTINGS, contextBudget: 1 };
  const served = servedServer(tools, testServer({ settings }));
  const call = async (name: string, args: unknown = {}) => {
    const params = { name, arguments: args };
    const result = await callServerTool(
      {
        toolSearch: createToolSearch(1),
        ownConnections: ownConnections(),
        detachedCalls: new MemoryTasks(),
        toolCalls: {
          execute(_ctx, sent) {
            calls.push(sent);
            return Promise.resolve({ kind: 'output', output: Buffer.from('{"id":1.50}') });
          },
        },
      },
      testContext(),
      served,
      new Map(Object.entries(params).map(([member, value]) => [member, Buffer.from(JSON.stringify(value))])),
      unaryChannel(),
    );
    // Results are JSON.
    return JSON.parse(jsonText(result)) as SearchResult;
  };
  const names = () => {
    const page = served.pages.page(undefined, false)?.tools.parse();
    return Array.isArray(page) ? page.map((it) => JSON.stringify(it).slice(9, 24)) : [];
  };
  return { call, calls, served, names };
}

describe('search_tools', () => {
  test('finds tools by their words, the best first, and shows no schema', async () => {
    const { structuredContent } = await setUp().call('search_tools', { query: 'bill a customer' });
    expect(structuredContent).toEqual({
      tools: [{ name: 'crm-create-invoice', title: 'Create an invoice', description: 'Bills a customer.' }],
      totalCount: 1,
    });
  });

  test('lists the tools by name without a query, in pages, but none that is held; it shortens descriptions', async () => {
    const { call } = setUp();
    const first = await call('search_tools', { limit: 1 });
    expect(first.structuredContent).toMatchObject({
      tools: [{ name: 'crm-create-invoice' }],
      totalCount: 2,
    });
    const second = await call('search_tools', { query: ' ', limit: 5, offset: 1 });
    const [found, ...more] = second.structuredContent.tools;
    expect([found?.name, more]).toEqual(['crm-list-contacts', []]);
    expect(Array.from(found?.description ?? '')).toHaveLength(300);
    const held = await call('search_tools', { query: 'changed' });
    expect(held.structuredContent).toEqual({ tools: [], totalCount: 0 });
  });

  test('names each argument of the wrong form', async () => {
    const { isError, content } = await setUp().call('search_tools', {
      query: 7,
      limit: 51,
      offset: -0.5,
    });
    expect(isError).toBe(true);
    expect(textOf({ content })).toBe(
      [
        'VALIDATION_ERROR: The arguments are not valid.',
        '- query: must be a text of at most 1000 characters',
        '- limit: must be an integer from 1 to 50',
        '- offset: must be an integer from 0 to 10000',
      ].join('\n'),
    );
  });
});

describe('describe_tool', () => {
  test('shows a tool as the whole list would', async () => {
    const { structuredContent } = await setUp().call('describe_tool', { name: 'crm-create-invoice' });
    expect(structuredContent).toEqual(TOOLS[0]?.listed.parse());
  });

  test.each([
    ['crm-changed', ''],
    ['crm-create-invoices', '\nCandidates: crm-create-invoice, '],
  ])('does not know %s, and names similar tools', async (name, candidates) => {
    const { isError, content } = await setUp().call('describe_tool', { name });
    expect(isError).toBe(true);
    expect(textOf({ content })).toContain(`NOT_FOUND: There is no tool ${name}.`);
    expect(textOf({ content })).toContain(candidates);
  });

  test('needs a name', async () => {
    expect(textOf(await setUp().call('describe_tool'))).toContain('- name: must be a text');
  });
});

describe('call_tool', () => {
  test('calls a tool as a direct call does', async () => {
    const { call, calls } = setUp();
    const args = { customer: 'ada' };
    const direct = await call('crm-create-invoice', args);
    const indirect = await call('call_tool', { name: 'crm-create-invoice', arguments: args });
    expect(indirect).toEqual(direct);
    expect(calls[1]).toEqual(calls[0]);
    expect(calls[0]).toMatchObject({ schemaProfile: 'anthropic', mcpServerName: 'Support' });
    expect(Buffer.from(calls[1]?.fields['customer'] ?? []).toString()).toBe('"ada"');
  });

  test.each<[string, unknown, string]>([
    ['an unknown tool', { name: 'crm-create' }, 'NOT_FOUND: There is no tool crm-create.'],
    ['a browsing tool', { name: 'call_tool' }, 'NOT_FOUND: There is no tool call_tool.'],
    ['arguments that are no object', { name: 'crm-create-invoice', arguments: '{}' }, '- arguments: must be'],
    ['a tool that is held', { name: 'crm-changed' }, 'FORBIDDEN: The tool was not executed'],
    ['no name', {}, '- name: must be a text'],
  ])('refuses %s, and executes nothing', async (_case, args, text) => {
    const { call, calls } = setUp();
    const { isError, content } = await call('call_tool', args);
    expect(isError).toBe(true);
    expect(textOf({ content })).toContain(text);
    expect(calls).toEqual([]);
  });
});

test('the browsing tools name the applications, and take no name of another tool', async () => {
  const { call, calls, served, names } = setUp([...TOOLS, servedTool('call_tool')]);
  expect(names()).toEqual(['call_tool_2","t', 'describe_tool",', 'search_tools","']);
  expect(served.pages.page(undefined, false)?.tools.text).toContain('Its applications: crm.');
  await call('call_tool');
  await call('call_tool_2', { name: 'call_tool' });
  expect(calls.map(({ target }) => target)).toMatchObject([
    { toolSlug: 'call_tool' },
    { toolSlug: 'call_tool' },
  ]);
});

test('there are no browsing tools where the list keeps within its budget', async () => {
  const served = servedServer(
    TOOLS,
    testServer({ settings: { ...DEFAULT_SETTINGS, contextBudget: 10_000 } }),
  );
  expect(served.browsing).toBeUndefined();
});
