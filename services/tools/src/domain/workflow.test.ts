import { ApiError } from '@fairlead/errors/api-error';
import { expect, test } from 'vitest';
import { checkWorkflowBounds, WORKFLOW_LIMITS, workflowExpressions } from './workflow.ts';
import type { WorkflowChange, WorkflowContent, WorkflowStep } from './workflow.ts';

const step = (id: string, o: Partial<WorkflowStep> = {}): WorkflowStep => ({
  id,
  toolSlug: 'tool',
  applicationSlug: '',
  fields: {},
  onError: 'stop',
  ...o,
});

function fieldsOf(content: WorkflowChange, current?: WorkflowContent): readonly string[] {
  try {
    checkWorkflowBounds(content, current);
    return [];
  } catch (error) {
    return error instanceof ApiError ? error.details.map(({ field }) => field) : [];
  }
}

test('what is within its bounds passes, and so does a change of one member', () => {
  const steps = [step('a', { when: '=true', forEach: '=[1]', connectionId: 1 }), step('b-2_C')];
  const whole = { name: 'Flow', slug: 'flow.1_A-b', description: '', inputSchema: {}, steps, output: '=1' };
  expect(fieldsOf(whole)).toEqual([]);
  expect(fieldsOf({ name: 'Other' })).toEqual([]);
});

test.each<[string, WorkflowChange]>([
  ['name', { name: ' ' }],
  ['name', { name: 'x'.repeat(201) }],
  ['slug', { slug: 'a b' }],
  ['slug', { slug: '-a' }],
  ['description', { description: 'x'.repeat(2_001) }],
  ['inputSchema.type', { inputSchema: { type: 'array' } }],
  ['inputSchema', { inputSchema: { title: 'x'.repeat(WORKFLOW_LIMITS.schemaBytes) } }],
  ['inputSchema', { inputSchema: { properties: { a: { items: { format: 'file' } } } } }],
  ['steps', { steps: [] }],
  ['steps', { steps: Array.from({ length: 51 }, (_, index) => step(`s${index}`)) }],
  ['steps', { steps: [step('a', { fields: { text: 'x'.repeat(WORKFLOW_LIMITS.documentBytes) } })] }],
  ['steps', { steps: [step('a', { fields: { list: Array<string>(501).fill('=1') } })] }],
  ['steps[0].id', { steps: [step('_a')] }],
  ['steps[1].id', { steps: [step('a'), step('a')] }],
  ['steps[0].connectionId', { steps: [step('a', { connectionId: 0 })] }],
  ['steps[0].when', { steps: [step('a', { when: 'true' })] }],
  ['steps[0].forEach', { steps: [step('a', { forEach: '[1]' })] }],
  ['steps[0].fields.a[1].b', { steps: [step('a', { fields: { a: [1, { b: `=${'x'.repeat(4_097)}` }] } })] }],
  ['output.a', { output: { a: `=${'x'.repeat(4_097)}` } }],
])('%s is named when it is out of bounds', (field, content) => {
  expect(fieldsOf(content)).toEqual([field]);
});

test('a change is bounded with the members that it leaves', () => {
  const text = 'x'.repeat(WORKFLOW_LIMITS.documentBytes - 1_024);
  const steps = [step('a', { fields: { text } })];
  const current = { name: 'Flow', slug: 'flow', description: '', inputSchema: {}, steps, output: null };
  const inputSchema = { title: 'x'.repeat(2_000) };
  expect(fieldsOf({ inputSchema })).toEqual([]);
  expect(fieldsOf({ name: 'Other' }, current)).toEqual([]);
  expect(fieldsOf({ inputSchema }, current)).toEqual(['steps']);
  expect(fieldsOf({ output: 'x'.repeat(2_000) }, current)).toEqual(['steps']);
  const many = Array<string>(300).fill('=1');
  const full = { ...current, steps: [step('a', { fields: { many } })] };
  expect(fieldsOf({ output: many }, full)).toEqual(['steps']);
  expect(fieldsOf({ output: many, steps: [step('a')] }, full)).toEqual([]);
});

test('what is too large is named', () => {
  expect(fieldsOf({ output: 'x'.repeat(WORKFLOW_LIMITS.documentBytes) })).toEqual(['steps']);
  expect(fieldsOf({ inputSchema: { title: 'x'.repeat(WORKFLOW_LIMITS.documentBytes) } })).toEqual([
    'inputSchema',
    'steps',
  ]);
});

test('expressions are listed with their paths in the record', () => {
  const steps = [step('a'), step('b', { when: '=w', forEach: '=f', fields: { x: '=x', y: 'plain' } })];
  expect(workflowExpressions({ steps, output: ['=o'] })).toEqual([
    { field: 'steps[1].when', text: 'w' },
    { field: 'steps[1].forEach', text: 'f' },
    { field: 'steps[1].fields.x', text: 'x' },
    { field: 'output[0]', text: 'o' },
  ]);
});
