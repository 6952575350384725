import { create } from '@bufbuild/protobuf';
import { toValue } from '@fairlead/connect-fast/json-value';
import {
  CreateWorkflowRequestSchema,
  UpdateWorkflowRequestSchema,
} from '@fairlead/contracts/tools/v1/workflow_service_pb';
import { jsonOf } from '@fairlead/service-kit/json/deferred-json';
import { expect, test } from 'vitest';
import { WORKFLOW_LIMITS } from '../domain/workflow.ts';
import { fromCreateWorkflowRequest, fromUpdateWorkflowRequest } from './convert-workflow.ts';

const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
const schema = { enum: [1, 2] };
const fields = { text: '=input', list: [1] };
const output = [{ a: '=input.é' }];

test.each([
  ['values', { inputSchema: schema, output: toValue(output) }, { id: 'a', toolSlug: 'do', fields }],
  [
    'JSON',
    { inputSchemaJson: bytes(schema), outputJson: bytes(output) },
    { id: 'a', toolSlug: 'do', fieldsJson: bytes(fields) },
  ],
])('a new workflow and a change of one have what their message has as %s', (_form, parts, step) => {
  const created = fromCreateWorkflowRequest(create(CreateWorkflowRequestSchema, { ...parts, steps: [step] }));
  const { change } = fromUpdateWorkflowRequest(
    create(UpdateWorkflowRequestSchema, { ...parts, steps: { steps: [step] } }),
  );
  for (const content of [created, change]) {
    expect(content).toMatchObject({ inputSchema: schema, output, steps: [{ id: 'a', fields }] });
    // As it is stored.
    expect(JSON.stringify(content.steps?.[0]?.fields)).toBe(JSON.stringify(fields));
  }
});

test('what a new workflow lacks has its default, and what a change lacks stays as it is', () => {
  expect(fromCreateWorkflowRequest(create(CreateWorkflowRequestSchema))).toMatchObject({
    inputSchema: { type: 'object' },
    output: null,
  });
  expect(fromUpdateWorkflowRequest(create(UpdateWorkflowRequestSchema)).change).toEqual({});
  const cleared = create(UpdateWorkflowRequestSchema, { output: toValue(null) });
  expect(fromUpdateWorkflowRequest(cleared).change).toEqual({ output: null });
});

test('JSON that is too large for a workflow is not parsed until it is read', () => {
  const json = Buffer.from(`[no JSON${' '.repeat(WORKFLOW_LIMITS.documentBytes)}`);
  const { output: unread } = fromCreateWorkflowRequest(
    create(CreateWorkflowRequestSchema, { outputJson: json }),
  );
  expect(jsonOf(unread)).toBe(json);
});
