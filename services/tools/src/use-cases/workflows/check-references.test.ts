import { notFound, unknownSlug } from '@fairlead/errors/api-error';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import type { Toolset, ToolsetChange } from '../../domain/toolset.ts';
import { connectorHead, toolDefinition } from '../../testing/fixtures.ts';
import { catalogOf, connection } from '../../testing/tool-calls.ts';
import { newToolSummary, toolListsOf, toolset } from '../../testing/toolsets.ts';
import { checkReferences } from './check-references.ts';

const TOOL = toolDefinition().toolSlug;
const catalog = catalogOf(toolDefinition(), connectorHead());
const unknownTool = (slug: string) => unknownSlug('tool', slug, [TOOL]);
const deps: Parameters<typeof checkReferences>[0] = {
  catalog: {
    resolveTool: (ctx, slug, application) =>
      slug === TOOL ? catalog.resolveTool(ctx, slug, application) : Promise.reject(unknownTool(slug)),
  },
  connections: {
    findConnections: (_ctx, { ids }) =>
      Promise.resolve([connection(), connection({ id: 9 })].filter(({ id }) => ids.includes(id))),
  },
  toolLists: toolListsOf(newToolSummary(TOOL, { aliases: ['former'] })),
  workflows: {
    findTools: (_ctx, tokens) =>
      Promise.resolve(
        tokens.includes('wf')
          ? [{ workflowToken: 'wf', tool: newToolSummary('onboard', { aliases: ['welcome'] }) }]
          : [],
      ),
  },
};
const check = (change: ToolsetChange, existing: Partial<Toolset> = {}) =>
  checkReferences(deps, testContext(), change, toolset({ connectionIds: [], ...existing }));
const policy = { readOnly: false, fixedFields: {}, callsPerHour: null, requireApproval: [] };
const list = (...slugs: string[]) => slugs.map((toolSlug) => ({ applicationSlug: 'crm', toolSlug }));

it('binds tools and policy to what their slugs name, a workflow’s and former ones, too', async () => {
  const identity = `slug ${TOOL}`;
  const asked = { ...policy, requireApproval: [TOOL, 'onboard', 'welcome'], fixedFields: { onboard: {} } };
  const change = { connectionIds: [7], tools: list(TOOL, 'former'), workflowTokens: ['wf'], policy: asked };
  expect(await check(change)).toEqual({
    ...change,
    tools: list(TOOL, 'former').map((tool) => ({ ...tool, identity })),
    policy: {
      ...asked,
      bindings: { [TOOL]: [identity], onboard: ['slug onboard'], welcome: ['slug onboard'] },
    },
  });
  const none = { connectionIds: [], tools: [], workflowTokens: [], policy: null };
  expect(await check(none)).toEqual(none);
  expect(await check({ name: 'x' })).toEqual({ name: 'x' });
});

it.each([
  [notFound('connection', 8), { connectionIds: [7, 8] }],
  [notFound('workflow', 'gone'), { workflowTokens: ['wf', 'gone'] }],
  [unknownTool('later'), { tools: list(TOOL, 'former', 'later', 'last') }],
  [unknownTool(`${TOOL}s`), { policy: { ...policy, requireApproval: [`${TOOL}s`] } }],
  [unknownTool('onboard'), { policy: { ...policy, fixedFields: { onboard: {} } } }],
  // The catalogue got it after it was listed.
  [notFound('tool'), { tools: [{ applicationSlug: 'other', toolSlug: TOOL }] }],
])(
  'refuses a record that does not exist, and names a tool as the catalogue does: %s',
  async (error, change) => {
    await expect(check(change)).rejects.toMatchObject({
      code: error.code,
      message: error.message,
      candidates: error.candidates,
    });
  },
);

it('binds a policy that is left out to applications and workflows that come to the toolset, and to no others', async () => {
  const held = {
    ...policy,
    requireApproval: [TOOL, 'onboard'],
    bindings: { [TOOL]: ['mcp x'], onboard: [] },
  };
  const bindings = async (change: ToolsetChange, existing: Partial<Toolset> = {}) =>
    (await check(change, { policy: held, ...existing })).policy?.bindings;
  expect(await bindings({ connectionIds: [7] })).toEqual({
    [TOOL]: ['mcp x', `slug ${TOOL}`],
    onboard: [],
  });
  expect(await bindings({ workflowTokens: ['wf'] })).toEqual({
    [TOOL]: ['mcp x'],
    onboard: ['slug onboard'],
  });
  expect(await bindings({ connectionIds: [7, 9] }, { connectionIds: [9] })).toBeUndefined();
  expect(await bindings({ workflowTokens: ['wf'] }, { workflowTokens: ['wf'] })).toBeUndefined();
  expect(await bindings({ name: 'x' })).toBeUndefined();
  const { bindings: _bindings, ...former } = held;
  expect(await check({ connectionIds: [7] }, { policy: former })).toEqual({ connectionIds: [7] });
});

it('takes a slug again that names nothing any more', async () => {
  const existing = { policy: { ...policy, requireApproval: ['moved'], bindings: { moved: ['mcp Moved'] } } };
  const change = { policy: { ...policy, callsPerHour: 5, requireApproval: ['moved'] } };
  expect(await check(change, existing)).toEqual({
    policy: { ...change.policy, bindings: { moved: ['mcp Moved'] } },
  });
});
