import { create } from '@bufbuild/protobuf';
import type { JsonObject as StructInit } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { fromValue, toValue } from '@fairlead/connect-fast/json-value';
import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { deferJson } from '@fairlead/service-kit/json/deferred-json';
import { OnError as OnErrorMessage, WorkflowSchema } from '@fairlead/contracts/tools/v1/workflow_pb';
import type {
  Workflow as WorkflowMessage,
  WorkflowStep as StepMessage,
} from '@fairlead/contracts/tools/v1/workflow_pb';
import type {
  CreateWorkflowRequest,
  UpdateWorkflowRequest,
} from '@fairlead/contracts/tools/v1/workflow_service_pb';
import { WORKFLOW_LIMITS } from '../domain/workflow.ts';
import type { OnError, Workflow, WorkflowChange, WorkflowContent, WorkflowStep } from '../domain/workflow.ts';

const ON_ERROR: Readonly<Record<OnError, OnErrorMessage>> = {
  stop: OnErrorMessage.STOP,
  continue: OnErrorMessage.CONTINUE,
  retry: OnErrorMessage.RETRY,
};

/** The workflow that a message holds. */
export function fromCreateWorkflowRequest(message: CreateWorkflowRequest): WorkflowContent {
  const { name, slug, description, steps } = message;
  return {
    name,
    slug,
    description,
    inputSchema: schemaOf(message) ?? { type: 'object' },
    steps: steps.map(fromStep),
    output: outputOf(message) ?? null,
  };
}

/** The change that a message requests. */
export function fromUpdateWorkflowRequest(message: UpdateWorkflowRequest): {
  workflowToken: string;
  change: WorkflowChange;
} {
  const { workflowToken, name, slug, description, steps } = message;
  const inputSchema = schemaOf(message);
  const output = outputOf(message);
  return {
    workflowToken,
    change: {
      ...(name !== undefined && { name }),
      ...(slug !== undefined && { slug }),
      ...(description !== undefined && { description }),
      ...(inputSchema !== undefined && { inputSchema }),
      ...(steps !== undefined && { steps: steps.steps.map(fromStep) }),
      ...(output !== undefined && { output }),
    },
  };
}

/** The message of a workflow. */
export function toWorkflowMessage({
  revision: _revision,
  aliases: _aliases,
  ...workflow
}: Workflow): WorkflowMessage {
  return create(WorkflowSchema, {
    ...workflow,
    inputSchema: toStruct(workflow.inputSchema),
    steps: workflow.steps.map(toStep),
    // The same JSON: protobuf-es just does not declare it readonly.
    output: toValue(workflow.output as StructInit),
    createdAt: timestampFromDate(workflow.createdAt),
    updatedAt: timestampFromDate(workflow.updatedAt),
  });
}

/** Undefined: the request has none. */
function schemaOf({
  inputSchema,
  inputSchemaJson,
}: Pick<CreateWorkflowRequest, 'inputSchema' | 'inputSchemaJson'>): JsonObject | undefined {
  return inputSchemaJson === undefined ? inputSchema : objectIn(inputSchemaJson);
}

/** Undefined: the request has none. */
function outputOf({
  output,
  outputJson,
}: Pick<CreateWorkflowRequest, 'output' | 'outputJson'>): Json | undefined {
  if (outputJson !== undefined) return valueIn(outputJson);
  return output === undefined ? undefined : (fromValue(output) ?? null);
}

function objectIn(json: Uint8Array): JsonObject {
  // The gateway has checked that it is an object.
  return valueIn(json) as JsonObject;
}

/** What is too large for a workflow is refused unread. The rest is read several times, which costs more of a deferred value. */
function valueIn(json: Uint8Array): Json {
  if (json.length > WORKFLOW_LIMITS.documentBytes) return deferJson(json);
  // It is JSON that the gateway wrote.
  return JSON.parse(Buffer.from(json).toString()) as Json;
}

function fromStep({ id, toolSlug, applicationSlug, ...step }: StepMessage): WorkflowStep {
  const { connectionId, when, forEach, fieldsJson } = step;
  const fields = fieldsJson === undefined ? (step.fields ?? {}) : objectIn(fieldsJson);
  const found = Object.entries(ON_ERROR).find(([, value]) => value === step.onError);
  return {
    id,
    toolSlug,
    applicationSlug,
    fields,
    ...(connectionId !== undefined && { connectionId }),
    ...(when !== undefined && { when }),
    ...(forEach !== undefined && { forEach }),
    // ON_ERROR's names are those of OnError.
    onError: (found?.[0] ?? 'stop') as OnError,
  };
}

function toStep({ fields, onError, ...step }: WorkflowStep) {
  return { ...step, fields: toStruct(fields), onError: ON_ERROR[onError] };
}

function toStruct(value: JsonObject): StructInit {
  // The same JSON: protobuf-es just does not declare it readonly, and does not write to it.
  return value as StructInit;
}
