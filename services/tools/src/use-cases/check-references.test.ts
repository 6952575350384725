import { notFound } from '@fairlead/errors/api-error';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import type { ToolsetChange } from '../domain/toolset.ts';
import { connectorHead, toolDefinition } from '../testing/fixtures.ts';
import { catalogOf, connection } from '../testing/tool-calls.ts';
import { listedTool, toolListsOf } from '../testing/toolsets.ts';
import { checkReferences } from './check-references.ts';

const TOOL = toolDefinition().toolSlug;
const catalog = catalogOf(toolDefinition(), connectorHead());
const deps: Parameters<typeof checkReferences>[0] = {
  catalog: {
    resolveTool: (ctx, slug, application) =>
      slug === TOOL ? catalog.resolveTool(ctx, slug, application) : Promise.reject(notFound('tool')),
  },
  connections: {
    findConnections: (_ctx, { ids }) => Promise.resolve(ids.includes(7) ? [connection()] : []),
  },
  toolLists: toolListsOf(listedTool(TOOL, { aliases: ['former'] })),
  workflows: {
    findTools: (_ctx, tokens) =>
      Promise.resolve(
        tokens.includes('wf')
          ? [{ workflowToken: 'wf', tool: listedTool('onboard', { aliases: ['welcome'] }) }]
          : [],
      ),
  },
};
const check = (change: ToolsetChange, workflowTokens = change.workflowTokens ?? []) =>
  checkReferences(deps, testContext(), change, workflowTokens);
const policy = { readOnly: false, fixedFields: {}, callsPerHour: null, requireApproval: [] };

it.each<readonly [ToolsetChange, readonly string[]]>([
  [
    {
      connectionIds: [7],
      tools: [{ applicationSlug: 'crm', toolSlug: TOOL }],
      workflowTokens: ['wf'],
      policy: { ...policy, requireApproval: [TOOL, 'onboard'], fixedFields: { onboard: {} } },
    },
    ['wf'],
  ],
  [{ policy: { ...policy, requireApproval: ['onboard', 'welcome'] } }, ['wf']],
  [{ tools: [TOOL, 'former'].map((toolSlug) => ({ applicationSlug: 'crm', toolSlug })) }, []],
  [{ connectionIds: [], tools: [], workflowTokens: [], policy: null }, []],
])(
  'accepts what exists, a workflow’s slug in the policy, a former one, too: %j',
  async (change, workflowTokens) => {
    await expect(check(change, workflowTokens)).resolves.toBeUndefined();
  },
);

it.each([
  ['connection', { connectionIds: [7, 8] }],
  ['tool', { tools: [{ applicationSlug: 'other', toolSlug: TOOL }] }],
  ['tool', { tools: [TOOL, 'former', 'later'].map((toolSlug) => ({ applicationSlug: 'crm', toolSlug })) }],
  ['workflow', { workflowTokens: ['wf', 'gone'] }],
  ['tool', { policy: { ...policy, requireApproval: [`${TOOL}s`] } }],
  ['tool', { policy: { ...policy, fixedFields: { onboard: {} } } }],
])('refuses a %s that does not exist', async (noun, change) => {
  await expect(check(change)).rejects.toMatchObject(notFound(noun));
});
