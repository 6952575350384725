import type { Workflow, WorkflowStep } from '@fairlead/contracts/tools/v1/workflow_pb';
import { z } from 'zod';
import { lazyObject, lazyValue, timestamp } from '@fairlead/rest-kit/fields';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { nameOf, namesOf, ON_ERROR } from './enums.ts';
import { presentTime } from './values.ts';

const stepRecord = z
  .strictObject({
    id: z.string(),
    toolSlug: z.string(),
    applicationSlug: z.string().optional(),
    connectionId: z.int32().optional(),
    fields: lazyObject,
    when: z.string().optional(),
    forEach: z.string().optional(),
    onError: z.enum(namesOf(ON_ERROR)),
  })
  .meta({ id: 'WorkflowStep' });

export const workflowRecord = z
  .strictObject({
    workflowToken: z.string(),
    name: z.string(),
    slug: z.string().describe('The tool slug under which it runs, with a toolset that holds it.'),
    description: z.string().nullable(),
    inputSchema: lazyObject.describe('JSON Schema 2020-12 of the execution’s `fields`.'),
    steps: z.array(stepRecord),
    output: lazyValue.describe('Null: the outputs of the steps, by their ids.'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Workflow' });

export function presentWorkflow(workflow: Workflow): z.output<typeof workflowRecord> {
  const { workflowToken, name, slug, description, steps } = workflow;
  return {
    workflowToken,
    name,
    slug,
    description: description === '' ? null : description,
    inputSchema: LazyJson.object(workflow.inputSchemaJson),
    steps: steps.map(presentStep),
    output: new LazyJson(workflow.outputJson),
    createdAt: presentTime(workflow.createdAt),
    updatedAt: presentTime(workflow.updatedAt),
  };
}

function presentStep(step: WorkflowStep): z.output<typeof stepRecord> {
  const { id, toolSlug, applicationSlug, connectionId, fieldsJson, when, forEach, onError } = step;
  return {
    id,
    toolSlug,
    ...(applicationSlug !== '' && { applicationSlug }),
    ...(connectionId !== undefined && { connectionId }),
    fields: LazyJson.object(fieldsJson),
    ...(when !== undefined && { when }),
    ...(forEach !== undefined && { forEach }),
    onError: nameOf(ON_ERROR, onError),
  };
}
