import { notFound } from '@fairlead/errors/api-error';
import { userOf } from '@fairlead/service-kit/context/context';
import { guid } from '@fairlead/service-kit/ids';
import { confinedContext, testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { originOf } from '../../domain/call-origin.ts';
import { toolDefinition } from '../../testing/fixtures.ts';
import { workflow, workflowDeps } from '../../testing/memory-workflows.ts';
import { toolRequest } from '../../testing/tool-calls.ts';
import { executeCall } from './execute-call.ts';

const { toolSlug } = toolDefinition();

test.each<[string, object, string]>([
  ['a workflow that the toolset holds', { toolSlug: 'flow' }, 'flow'],
  ['the same, by its application', { toolSlug: 'flow', applicationSlug: 'workflow' }, 'flow'],
  ['a tool, where the toolset has no workflow of that slug', { toolSlug }, toolSlug],
  ['a tool of another application', { toolSlug: 'flow', applicationSlug: 'crm' }, toolSlug],
  ['a tool, without a toolset', { toolSlug: 'flow', toolsetId: undefined }, toolSlug],
])('%s is executed', async (_name, o, executed) => {
  const { ctx, deps, toolset } = workflowDeps();
  const result = await executeCall(deps, ctx, toolRequest({ toolsetId: toolset.id, ...o }));
  expect(result.info.toolSlug).toBe(executed);
});

test('a caller who is confined to a toolset executes with it, whether or not the call names it, and with no other', async () => {
  const { ctx, deps, toolset } = workflowDeps();
  const { accountId } = userOf(ctx);
  const confined = confinedContext({ toolsetId: toolset.id, keyId: 'key_1' }, accountId);
  for (const toolsetId of [undefined, toolset.id]) {
    const flow = await executeCall(deps, confined, toolRequest({ toolsetId, toolSlug: 'flow' }));
    expect(flow.info).toMatchObject({ toolSlug: 'flow', keyId: 'key_1' });
    const tool = await executeCall(deps, confined, toolRequest({ toolsetId, toolSlug }));
    expect(tool.info).toMatchObject({ connectionResolution: 'toolset', keyId: 'key_1' });
  }
  expect((await executeCall(deps, ctx, toolRequest({ toolSlug }))).info).not.toHaveProperty('keyId');
  const elsewhere = confinedContext({ toolsetId: guid(), keyId: 'key_1' }, accountId);
  for (const slug of ['flow', toolSlug]) {
    const call = executeCall(deps, elsewhere, toolRequest({ toolsetId: toolset.id, toolSlug: slug }));
    await expect(call).rejects.toMatchObject({ code: 'FORBIDDEN' });
  }
});

test('a workflow that the toolset does not hold is not found', async () => {
  const { ctx, deps, toolset } = workflowDeps();
  const other = { ...deps.workflows, findBySlug: () => Promise.resolve(workflow({ workflowToken: 'wf_2' })) };
  const request = toolRequest({ toolsetId: toolset.id, toolSlug: 'flow' });
  const result = await executeCall({ ...deps, workflows: other }, ctx, request);
  expect(result.info.applicationSlug).toBe('crm');
});

test.each([[undefined], ['itsOwn']])('a workflow is run by its token, with toolset %s', async (kind) => {
  const { ctx, deps, toolset, vendorCalls } = workflowDeps();
  const by = { toolSlug: '', workflowToken: 'wf_1', origin: originOf('Support') };
  const toolsetId = kind === undefined ? undefined : toolset.id;
  const result = await executeCall(deps, ctx, { ...toolRequest({ toolsetId }), ...by });
  expect(result).toMatchObject({
    outcome: { isSuccess: true },
    info: { applicationSlug: 'workflow', toolSlug: 'flow', source: 'mcp', mcpServerName: 'Support' },
  });
  expect(vendorCalls).toHaveLength(1);
});

test('the token of a workflow that is unknown, or that the toolset does not hold, is refused', async () => {
  const { ctx, deps, toolset, vendorCalls } = workflowDeps();
  const named = (workflowToken: string) => ({ ...toolRequest({ toolSlug: '' }), workflowToken });
  await expect(executeCall(deps, ctx, named('wf_2'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const without = { ...toolset, workflowTokens: [] };
  const toolsets = { find: () => Promise.resolve(without) };
  const call = executeCall({ ...deps, toolsets }, ctx, { ...named('wf_1'), toolsetId: toolset.id });
  await expect(call).rejects.toMatchObject({ code: 'TOOL_NOT_IN_TOOLSET' });
  const gone = { find: () => Promise.resolve(undefined) };
  const lost = executeCall({ ...deps, toolsets: gone }, ctx, { ...named('wf_1'), toolsetId: toolset.id });
  await expect(lost).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const confined = confinedContext({ toolsetId: toolset.id, keyId: 'key_1' }, userOf(ctx).accountId);
  const outside = executeCall({ ...deps, toolsets }, confined, named('wf_1'));
  await expect(outside).rejects.toMatchObject({ code: 'TOOL_NOT_IN_TOOLSET' });
  expect(vendorCalls).toEqual([]);
});

test('a client without a credential executes through an MCP server only, also a workflow, as no user', async () => {
  const { deps, ctx, vendorCalls } = workflowDeps();
  const { accountId } = userOf(ctx);
  const anonymous = testContext({ caller: { kind: 'anonymousClient', accountId, serverId: 'server-1' } });
  for (const o of [{ toolSlug }, { toolSlug: '', workflowToken: 'wf_1' }]) {
    const request = { ...toolRequest(), ...o };
    await expect(executeCall(deps, anonymous, request)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const through = { ...request, origin: originOf('Support') };
    const { info, outcome } = await executeCall(deps, anonymous, through);
    expect(outcome).toMatchObject({ isSuccess: true });
    expect(info).toMatchObject({ userId: null, source: 'mcp', mcpServerName: 'Support' });
  }
  expect(vendorCalls).toHaveLength(2);
});

test('an unknown tool is refused before an unknown approval', async () => {
  const { ctx, deps, toolset } = workflowDeps();
  const catalog = { ...deps.catalog, resolveTool: () => Promise.reject(notFound('tool')) };
  const request = toolRequest({ toolSlug: 'none', toolsetId: toolset.id, approvalId: toolset.id });
  await expect(executeCall({ ...deps, catalog }, ctx, request)).rejects.toThrow('tool');
});
