import { create } from '@bufbuild/protobuf';
import {
  CreateWorkflowRequestSchema,
  UpdateWorkflowRequestSchema,
} from '@fairlead/contracts/tools/v1/workflow_service_pb';
import { expect, test } from 'vitest';
import { WORKFLOW_LIMITS } from '../domain/workflow.ts';
import { fromCreateWorkflowRequest, fromUpdateWorkflowRequest } from './convert-workflow.ts';

const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
const schema = { enum: [1, 2] };
const fields = { text: '=input', list: [1] };
const output = [{ a: '=input.é' }];

const parts = { inputSchemaJson: bytes(schema), outputJson: bytes(output) };
const step = { id: 'a', toolSlug: 'do', fieldsJson: bytes(fields) };

test('a new workflow and a change of one have what their message has as JSON', () => {
  const created = fromCreateWorkflowRequest(create(CreateWorkflowRequestSchema, { ...parts, steps: [step] }));
  const { change } = fromUpdateWorkflowRequest(
    create(UpdateWorkflowRequestSchema, { ...parts, steps: { steps: [step] } }),
  );
  for (const content of [created, change]) {
    expect(content).toMatchObject({ inputSchema: schema, output, steps: [{ id: 'a', fields }] });
    // A workflow in stored form.
    expect(JSON.stringify(content.steps?.[0]?.fields)).toBe(JSON.stringify(fields));
  }
});

test('what a new workflow lacks has its default, and what a change lacks stays as it is', () => {
  expect(fromCreateWorkflowRequest(create(CreateWorkflowRequestSchema))).toMatchObject({
    inputSchema: { type: 'object' },
    output: null,
  });
  expect(fromUpdateWorkflowRequest(create(UpdateWorkflowRequestSchema)).change).toEqual({});
  const cleared = create(UpdateWorkflowRequestSchema, { outputJson: bytes(null) });
  expect(fromUpdateWorkflowRequest(cleared).change).toEqual({ output: null });
});

test('JSON that is too large for a workflow is refused, and nothing of it is parsed', () => {
  const json = Buffer.from(`[no JSON${' '.repeat(WORKFLOW_LIMITS.documentBytes)}`);
  const refusalOf = (parts: Parameters<typeof create<typeof CreateWorkflowRequestSchema>>[1]): unknown => {
    try {
      return fromCreateWorkflowRequest(create(CreateWorkflowRequestSchema, parts));
    } catch (error) {
      return error;
    }
  };
  const wholeIssue = { field: 'steps', issue: 'must be, with all other members, at most 256 KiB of JSON' };
  expect(refusalOf({ outputJson: json })).toMatchObject({ details: [wholeIssue] });
  expect(refusalOf({ steps: [{ id: 'a', toolSlug: 'do', fieldsJson: json }] })).toMatchObject({
    details: [wholeIssue],
  });
  expect(refusalOf({ inputSchemaJson: json })).toMatchObject({
    details: [{ field: 'inputSchema', issue: 'must be at most 64 KiB of JSON' }],
  });
});

test.each(['[no JSON', '[1]'])('a schema that is %s is named', (text) => {
  const message = create(CreateWorkflowRequestSchema, { inputSchemaJson: Buffer.from(text) });
  expect(() => fromCreateWorkflowRequest(message)).toThrow(
    expect.objectContaining({ details: [expect.objectContaining({ field: 'inputSchema' })] }),
  );
});
