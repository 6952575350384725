import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { connectorHead, toolDefinition } from '../../testing/fixtures.ts';
import { catalogOf } from '../../testing/tool-calls.ts';
import { newToolSummary } from '../../testing/toolsets.ts';
import { widenPolicy } from './widen-policy.ts';

const catalog = catalogOf(toolDefinition(), connectorHead());
const policy = { readOnly: false, fixedFields: {}, callsPerHour: null, requireApproval: ['send'] };
const bound = { ...policy, bindings: { send: ['mcp mcp-7 Send'] } };
const applicationSlugs = new Set(['crm']);
const none = { applicationSlugs: new Set<string>(), workflows: [] };

it('adds what comes to the toolset and takes nothing away', async () => {
  const workflows = [{ workflowToken: 'wf', tool: newToolSummary('send') }];
  const widened = await widenPolicy({ catalog }, testContext(), bound, { applicationSlugs, workflows });
  expect(widened).toEqual({
    ...policy,
    bindings: { send: ['mcp mcp-7 Send', 'slug send', 'slug crm-list-contacts'] },
  });
});

it('leaves a policy as it is if nothing comes, and one without bindings', async () => {
  expect(await widenPolicy({ catalog }, testContext(), bound, none)).toBe(bound);
  const added = { ...none, applicationSlugs };
  expect(await widenPolicy({ catalog }, testContext(), policy, added)).toBe(policy);
});
