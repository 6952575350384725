import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { OnError as OnErrorMessage, WorkflowSchema } from '@fairlead/contracts/tools/v1/workflow_pb';
import type {
  Workflow as WorkflowMessage,
  WorkflowStep as StepMessage,
} from '@fairlead/contracts/tools/v1/workflow_pb';
import type {
  CreateWorkflowRequest,
  UpdateWorkflowRequest,
} from '@fairlead/contracts/tools/v1/workflow_service_pb';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { jsonBytes, LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { withinWorkflow } from '../domain/workflow.ts';
import type {
  WorkflowView,
  OnError,
  Workflow,
  WorkflowChange,
  WorkflowContent,
  WorkflowStep,
} from '../domain/workflow.ts';

const ON_ERROR: Readonly<Record<OnError, OnErrorMessage>> = {
  stop: OnErrorMessage.STOP,
  continue: OnErrorMessage.CONTINUE,
  retry: OnErrorMessage.RETRY,
};

/** The workflow that a message holds. */
export function fromCreateWorkflowRequest(message: CreateWorkflowRequest): WorkflowContent {
  const { name, slug, description, steps, inputSchemaJson, outputJson } = message;
  return {
    name,
    slug,
    description,
    inputSchema: inputSchemaJson.length === 0 ? { type: 'object' } : schemaOf(inputSchemaJson),
    steps: steps.map(fromStep),
    output: outputJson.length === 0 ? null : outputOf(outputJson),
  };
}

/** The requested change. */
export function fromUpdateWorkflowRequest(message: UpdateWorkflowRequest): {
  workflowToken: string;
  change: WorkflowChange;
} {
  const { workflowToken, name, slug, description, steps, inputSchemaJson, outputJson } = message;
  return {
    workflowToken,
    change: {
      ...(name !== undefined && { name }),
      ...(slug !== undefined && { slug }),
      ...(description !== undefined && { description }),
      ...(inputSchemaJson !== undefined && { inputSchema: schemaOf(inputSchemaJson) }),
      ...(steps !== undefined && { steps: steps.steps.map(fromStep) }),
      ...(outputJson !== undefined && { output: outputOf(outputJson) }),
    },
  };
}

/** Encodes a workflow. */
export function toWorkflowMessage({
  revision: _revision,
  aliases: _aliases,
  inputSchema,
  output,
  ...workflow
}: Workflow | WorkflowView): WorkflowMessage {
  return create(WorkflowSchema, {
    ...workflow,
    inputSchemaJson: jsonBytes(inputSchema),
    steps: workflow.steps.map(toStep),
    outputJson: jsonBytes(output),
    createdAt: timestampFromDate(workflow.createdAt),
    updatedAt: timestampFromDate(workflow.updatedAt),
  });
}

function schemaOf(json: Uint8Array): JsonObject {
  return withinWorkflow(new LazyJson(json, 'inputSchema'), 'inputSchema').parseObject();
}

function outputOf(json: Uint8Array): Json {
  return withinWorkflow(new LazyJson(json, 'output'), 'output').parse();
}

function fromStep({ id, toolSlug, applicationSlug, ...step }: StepMessage, at: number): WorkflowStep {
  const { connectionId, when, forEach, fieldsJson } = step;
  const fields = withinWorkflow(LazyJson.object(fieldsJson, `steps[${at}].fields`), 'steps').parseObject();
  const found = Object.entries(ON_ERROR).find(([, value]) => value === step.onError);
  return {
    id,
    toolSlug,
    applicationSlug,
    fields,
    ...(connectionId !== undefined && { connectionId }),
    ...(when !== undefined && { when }),
    ...(forEach !== undefined && { forEach }),
    // The names of ON_ERROR are those of OnError.
    onError: (found?.[0] ?? 'stop') as OnError,
  };
}

function toStep({ fields, onError, ...step }: (Workflow | WorkflowView)['steps'][number]) {
  return { ...step, fieldsJson: jsonBytes(fields), onError: ON_ERROR[onError] };
}
