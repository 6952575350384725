import { notFound } from '@fairlead/errors/api-error';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { namesOf } from '../../domain/target.ts';
import type { Candidate, Connection } from '../../domain/target.ts';
import type { Toolset } from '../../domain/toolset.ts';
import { connectorHead, toolDefinition } from '../../testing/fixtures.ts';
import { workflow, workflowStep } from '../../testing/memory-workflows.ts';
import { connection } from '../../testing/tool-calls.ts';
import { toolset } from '../../testing/toolsets.ts';
import { bindWorkflow } from './bind-workflow.ts';

const tool = (o: Partial<Candidate> = {}): Candidate => ({
  applicationSlug: 'crm',
  isPlatform: true,
  definition: toolDefinition(),
  ...o,
});
const stored = (o: Partial<Connection> = {}): Connection =>
  connection({ id: 7, applicationSlug: 'crm', authenticationId: 1, credentialRevision: '1', ...o });
const holder = (o: Partial<Toolset> = {}) => toolset({ connectionIds: [7, 9], ...o });
const policy = { readOnly: false, fixedFields: {}, callsPerHour: null, requireApproval: ['flow'] };

interface World {
  readonly connections?: readonly Connection[];
  readonly candidates?: readonly Candidate[];
  readonly baseUrl?: string;
  readonly holding?: Toolset;
}

function bind({
  connections = [stored()],
  candidates = [tool()],
  baseUrl = 'https://crm.example',
  holding = holder(),
}: World = {}) {
  const catalog = {
    resolveTool: () =>
      candidates.length === 0 ? Promise.reject(notFound('tool')) : Promise.resolve(candidates),
    getConnector: () => Promise.resolve(connectorHead({ baseUrl })),
  };
  const found = { findConnections: () => Promise.resolve(connections) };
  const called = { workflow: workflow({ steps: [workflowStep('one')] }), toolset: holding };
  return bindWorkflow({ catalog, connections: found }, testContext(), called);
}

test('names each connection of the toolset, also one that is gone', async () => {
  expect((await bind()).connections).toEqual([
    { id: 7, revision: '1', isDefault: stored().isDefault, baseUrl: 'https://crm.example' },
    { id: 9, revision: null, isDefault: false, baseUrl: null },
  ]);
});

test.each<[string, World]>([
  ['another connection is the default', { connections: [stored({ isDefault: !stored().isDefault })] }],
  ['a credential was entered anew', { connections: [stored({ credentialRevision: '2' })] }],
  ['the application has another address', { baseUrl: 'https://elsewhere.example' }],
  [
    'a step means another version',
    { candidates: [tool({ definition: toolDefinition({ version: '2.0.0' }) })] },
  ],
  [
    'a step means another tool',
    { candidates: [tool({ definition: toolDefinition({ toolSlug: 'other' }) })] },
  ],
  ['the toolset permits other tools', { holding: holder({ tools: [] }) }],
  ['the policy fixes an input', { holding: holder({ policy: { ...policy, fixedFields: { a: { b: 1 } } } }) }],
  [
    'a slug of the policy means more tools',
    { holding: holder({ policy: { ...policy, bindings: { a: ['b'] } } }) },
  ],
])('is something else where %s', async (_change, world) => {
  const before = await bind({ holding: holder({ policy }) });
  expect(await bind({ holding: holder({ policy }), ...world })).not.toEqual(before);
});

test('names the tools that each step may call, with their versions', async () => {
  const other = tool({ applicationSlug: 'mail' });
  const { identities } = namesOf(tool());
  const { version } = toolDefinition();
  expect((await bind({ candidates: [other, tool()] })).stepTools).toEqual([
    [`crm ${identities[0]}@${version}`],
  ]);
});

test('is NOT_FOUND if there is no tool for a step: one that a server adds later is not what was approved', async () => {
  for (const candidates of [[], [tool({ applicationSlug: 'mail' })]])
    await expect(bind({ candidates })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a tool of an application that the toolset has no connection to makes no difference', async () => {
  const elsewhere = tool({ applicationSlug: 'mail' });
  expect(await bind({ candidates: [tool(), elsewhere] })).toEqual(await bind());
});
