import { create } from '@bufbuild/protobuf';
import type { JsonObject as StructInit } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { fromValue, toValue } from '@fairlead/connect-fast/json-value';
import type { JsonObject } from '@fairlead/connector-model/model';
import { OnError as OnErrorMessage, WorkflowSchema } from '@fairlead/contracts/tools/v1/workflow_pb';
import type {
  Workflow as WorkflowMessage,
  WorkflowStep as StepMessage,
} from '@fairlead/contracts/tools/v1/workflow_pb';
import type {
  CreateWorkflowRequest,
  UpdateWorkflowRequest,
} from '@fairlead/contracts/tools/v1/workflow_service_pb';
import type { OnError, Workflow, WorkflowChange, WorkflowContent, WorkflowStep } from '../domain/workflow.ts';

const ON_ERROR: Readonly<Record<OnError, OnErrorMessage>> = {
  stop: OnErrorMessage.STOP,
  continue: OnErrorMessage.CONTINUE,
  retry: OnErrorMessage.RETRY,
};

/** The workflow that a message holds. */
export function fromCreateWorkflowRequest(message: CreateWorkflowRequest): WorkflowContent {
  const { name, slug, description, inputSchema = { type: 'object' }, steps, output } = message;
  return {
    name,
    slug,
    description,
    inputSchema,
    steps: steps.map(fromStep),
    output: fromValue(output) ?? null,
  };
}

/** The change that a message requests. */
export function fromUpdateWorkflowRequest(message: UpdateWorkflowRequest): {
  workflowToken: string;
  change: WorkflowChange;
} {
  const { workflowToken, name, slug, description, inputSchema, steps, output } = message;
  return {
    workflowToken,
    change: {
      ...(name !== undefined && { name }),
      ...(slug !== undefined && { slug }),
      ...(description !== undefined && { description }),
      ...(inputSchema !== undefined && { inputSchema }),
      ...(steps !== undefined && { steps: steps.steps.map(fromStep) }),
      ...(output !== undefined && { output: fromValue(output) ?? null }),
    },
  };
}

/** The message of a workflow. */
export function toWorkflowMessage({ revision: _internal, ...workflow }: Workflow): WorkflowMessage {
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

function fromStep({ id, toolSlug, applicationSlug, fields = {}, ...step }: StepMessage): WorkflowStep {
  const { connectionId, when, forEach } = step;
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
