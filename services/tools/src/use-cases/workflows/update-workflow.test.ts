import { notFound } from '@fairlead/errors/api-error';
import { expect, test } from 'vitest';
import type { Workflow } from '../../domain/workflow.ts';
import { workflow, workflowDeps, workflowStep } from '../../testing/memory-workflows.ts';
import { updateWorkflow } from './update-workflow.ts';

function update(found: Workflow | undefined, updated: Workflow | 'taken' | undefined, name = 'New') {
  const { deps, ctx } = workflowDeps();
  const workflows = { find: () => Promise.resolve(found), update: () => Promise.resolve(updated) };
  return updateWorkflow({ ...deps, workflows }, ctx, { workflowToken: 'wf_1', change: { name } });
}

test('a change is checked and stored; what is gone is NOT_FOUND, a slug of another one a CONFLICT', async () => {
  const changed = workflow({ name: 'New' });
  expect(await update(workflow(), changed)).toBe(changed);
  await expect(update(workflow(), changed, '')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  await expect(update(undefined, changed)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(update(workflow(), undefined)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await expect(update(workflow(), 'taken')).rejects.toMatchObject({ code: 'CONFLICT' });
});

test('a change is checked again with what somebody else has changed meanwhile', async () => {
  const { deps, ctx } = workflowDeps();
  const large = workflow({ steps: [workflowStep('one', { fields: { name: 'x'.repeat(200 * 1024) } })] });
  const found = [workflow(), large];
  const workflows = { find: () => Promise.resolve(found.shift()), update: () => Promise.resolve(undefined) };
  const change = { output: 'x'.repeat(60 * 1024) };
  await expect(
    updateWorkflow({ ...deps, workflows }, ctx, { workflowToken: 'wf_1', change }),
  ).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  expect(found).toEqual([]);
});

test('a workflow that has had very many slugs gets no further one, and keeps those', async () => {
  const aliases = Array.from({ length: 100 }, (_, index) => `flow-${index}`);
  const found = workflow({ aliases });
  const { deps, ctx } = workflowDeps();
  const workflows = { find: () => Promise.resolve(found), update: () => Promise.resolve(found) };
  const catalog = { ...deps.catalog, resolveTool: () => Promise.reject(notFound('tool')) };
  const rename = (slug: string) =>
    updateWorkflow({ ...deps, catalog, workflows }, ctx, { workflowToken: 'wf_1', change: { slug } });
  await expect(rename('flow-100')).rejects.toMatchObject({ code: 'CONFLICT' });
  for (const slug of ['flow', 'flow-7']) expect(await rename(slug)).toBe(found);
});
