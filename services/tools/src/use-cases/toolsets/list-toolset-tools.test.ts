import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import type { Toolset } from '../../domain/toolset.ts';
import { connection } from '../../testing/tool-calls.ts';
import { newToolSummary, toolListsOf, toolset } from '../../testing/toolsets.ts';
import { listToolsetTools } from './list-toolset-tools.ts';

const catalogue = [
  newToolSummary('b'),
  newToolSummary('d'),
  newToolSummary('a', { applicationSlug: 'mail' }),
  newToolSummary('z', { applicationSlug: 'shop' }),
  newToolSummary('list-x', { applicationSlug: 'pipe' }),
  newToolSummary('put-x', { applicationSlug: 'pipe' }),
];

async function list(of: Partial<Toolset>, page = { offset: 0, top: 100 }) {
  const connections = [
    connection({ id: 7 }),
    connection({ id: 8, applicationSlug: 'mail' }),
    connection({ id: 10, applicationSlug: 'pipe' }),
  ];
  const deps: Parameters<typeof listToolsetTools>[0] = {
    toolsets: { find: () => Promise.resolve(toolset(of)) },
    connections: {
      findConnections: (_ctx, { ids }) => Promise.resolve(connections.filter(({ id }) => ids.includes(id))),
    },
    toolLists: toolListsOf(...catalogue),
    workflows: {
      findTools: (_ctx, tokens) =>
        Promise.resolve(
          tokens
            .filter((token) => token !== 'gone')
            .map((token) => ({
              workflowToken: token,
              tool: newToolSummary(token, { applicationSlug: 'workflow' }),
            })),
        ),
    },
  };
  const { items, totalCount } = await listToolsetTools(deps, testContext(), { id: toolset().id, page });
  return [...items.map(({ toolSlug }) => toolSlug), totalCount];
}

it('lists every tool of the connections’ applications, or those that are listed', async () => {
  expect(await list({ connectionIds: [7, 8, 9] })).toEqual(['a', 'b', 'd', 3]);
  expect(await list({ connectionIds: [] })).toEqual([0]);
  const tools = [
    { applicationSlug: 'crm', toolSlug: 'd' },
    { applicationSlug: 'crm', toolSlug: 'gone' },
  ];
  expect(await list({ tools })).toEqual(['d', 1]);
  expect(await list({ tools: [] })).toEqual([0]);
});

it('lists its workflows among them, on every page', async () => {
  const of = { connectionIds: [7], workflowTokens: ['c', 'gone', 'e'] };
  expect(await list(of)).toEqual(['b', 'c', 'd', 'e', 4]);
  expect(await list(of, { offset: 1, top: 2 })).toEqual(['c', 'd', 4]);
  expect(await list(of, { offset: 3, top: 2 })).toEqual(['e', 4]);
  expect(await list({ ...of, tools: [] })).toEqual(['c', 'e', 2]);
});

it('leaves out what a readOnly policy refuses, and keeps workflows, whose steps it confines', async () => {
  const policy = { readOnly: true, fixedFields: {}, callsPerHour: null, requireApproval: [] };
  expect(await list({ connectionIds: [10], workflowTokens: ['flow'], policy })).toEqual([
    'flow',
    'list-x',
    2,
  ]);
});
