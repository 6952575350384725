import { unknownSlug } from '@fairlead/errors/api-error';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { WorkflowChange, WorkflowStep } from '../../domain/workflow.ts';
import { createWorkerExpressions } from '../../expressions/worker-expressions.ts';
import { evaluationsInPlace } from '../../testing/evaluations.ts';
import { toolDefinition } from '../../testing/fixtures.ts';
import { connection } from '../../testing/tool-calls.ts';
import { checkWorkflow } from './check-workflow.ts';

const ctx = testContext();

function step(toolSlug: string, o: Partial<WorkflowStep> = {}): WorkflowStep {
  return { id: 'a', toolSlug, applicationSlug: '', fields: {}, onError: 'stop', ...o };
}

/** Checks a workflow in an account with one connection, 7, and tools of its application, two of which have the same slug. */
function check(content: WorkflowChange): Promise<void> {
  const tools = [
    toolDefinition({ toolSlug: 'read', retryClass: 'readOnly' }),
    toolDefinition({ toolSlug: 'send', retryClass: 'unsafe' }),
    toolDefinition({
      toolSlug: 'hinted',
      retryClass: 'idempotent',
      execution: { type: 'mcp', toolName: 'Hinted' },
    }),
    ...(['idempotent', 'unsafe'] as const).map((retryClass) =>
      toolDefinition({ toolSlug: 'clash', retryClass }),
    ),
  ];
  const deps = {
    catalog: {
      resolveTool(_ctx: unknown, slug: string) {
        const found = tools.filter(({ toolSlug }) => toolSlug === slug);
        if (found.length === 0) return Promise.reject(unknownSlug('tool', slug, ['read']));
        return Promise.resolve(
          found.map((definition) => ({
            applicationSlug: 'crm',
            isPlatform: definition.execution.type !== 'mcp',
            definition,
          })),
        );
      },
    },
    connections: { findConnections: () => Promise.resolve([connection()]) },
    expressions: createWorkerExpressions(evaluationsInPlace()),
  };
  return checkWorkflow(deps, ctx, content);
}

test.each<[string, WorkflowChange, string]>([
  ['an expression that is not JSONata', { steps: [step('read', { when: '=input.' })] }, 'steps[0].when'],
  ['a schema that does not compile', { inputSchema: { properties: { a: { type: 'x' } } } }, 'inputSchema'],
  [
    'retry of a tool that is not idempotent',
    { steps: [step('send', { onError: 'retry' })] },
    'steps[0].onError',
  ],
  [
    'retry of a tool that only its MCP server calls idempotent',
    { steps: [step('hinted', { onError: 'retry' })] },
    'steps[0].onError',
  ],
  [
    'retry of a slug that one tool has which is not idempotent',
    { steps: [step('clash', { onError: 'retry' })] },
    'steps[0].onError',
  ],
])('%s is named', async (_name, content, field) => {
  await expect(check(content)).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field }] });
});

test('a tool or connection that does not exist is NOT_FOUND, the slug of a tool is a CONFLICT', async () => {
  await expect(check({ steps: [step('read'), step('red', { id: 'b' })] })).rejects.toMatchObject({
    code: 'NOT_FOUND',
    candidates: ['read'],
    message: 'There is no tool red. Did you mean read?',
  });
  const steps = [step('read', { connectionId: 7 }), step('read', { id: 'b', connectionId: 8 })];
  await expect(check({ steps })).rejects.toThrow('The connection 8 does not exist.');
  await expect(check({ slug: 'read' })).rejects.toMatchObject({ code: 'CONFLICT' });
});

test('what is right passes', async () => {
  const steps = [
    step('read', { onError: 'retry', connectionId: 7, when: '=input.a' }),
    step('send', { id: 'b' }),
  ];
  const content = { slug: 'flow', inputSchema: { type: 'object' }, steps, output: '=steps.a.output' };
  await expect(check(content)).resolves.toBeUndefined();
});
