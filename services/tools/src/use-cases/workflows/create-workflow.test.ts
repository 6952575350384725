import { notFound } from '@fairlead/errors/api-error';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { connectorHead, toolDefinition } from '../../testing/fixtures.ts';
import { workflow, workflowDeps } from '../../testing/memory-workflows.ts';
import { catalogOf } from '../../testing/tool-calls.ts';
import { createWorkflow } from './create-workflow.ts';

const known = catalogOf(toolDefinition(), connectorHead());

test('a workflow is stored under a token of its own, unless its slug is taken', async () => {
  const ctx = testContext();
  const { workflowToken: _token, revision: _one, createdAt: _at, updatedAt: _then, ...content } = workflow();
  const create = (inserted: 'inserted' | 'taken') =>
    createWorkflow(
      {
        ...workflowDeps().deps,
        catalog: {
          resolveTool: (...o) =>
            o[1] === content.slug ? Promise.reject(notFound('tool')) : known.resolveTool(...o),
        },
        workflows: { insert: () => Promise.resolve(inserted) },
      },
      ctx,
      content,
    );
  const created = await create('inserted');
  expect(created).toMatchObject({ ...content, revision: 1 });
  expect(created.workflowToken).toMatch(/^wf_\w{22}$/);
  expect((await create('inserted')).workflowToken).not.toBe(created.workflowToken);
  await expect(create('taken')).rejects.toMatchObject({ code: 'CONFLICT' });
});
