import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { ApiError, validationError } from '@fairlead/errors/api-error';
import type { FieldIssue } from '@fairlead/errors/api-error';
import { expressionsOf, isExpression } from '@fairlead/evaluation/jsonata/expressions';
import { jsonBytes } from '@fairlead/service-kit/json/lazy-json';
import type { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { hasFileElsewhere } from './file-schema.ts';
import type { NamedTool } from './policy.ts';

/** Slug of the application whose tools are the workflows. */
export const WORKFLOW_APPLICATION = 'workflow';

/** The reaction to a failing step. */
export type OnError = 'stop' | 'continue' | 'retry';

/** One tool call of a workflow, or one per item of `forEach`. */
export interface WorkflowStep {
  readonly id: string;
  readonly toolSlug: string;
  /** Empty: determined by the connection. */
  readonly applicationSlug: string;
  /** Absent: the toolset's connection. */
  readonly connectionId?: number;
  /** Strings in it that begin with `=` are JSONata; `when` and `forEach` always are. */
  readonly fields: JsonObject;
  readonly when?: string;
  readonly forEach?: string;
  readonly onError: OnError;
}

/** The members of a workflow that users set. */
export interface WorkflowContent {
  readonly name: string;
  /** Slug of the tool by which callers run the workflow. */
  readonly slug: string;
  /** Empty: none. */
  readonly description: string;
  /** JSON Schema 2020-12 of its inputs. */
  readonly inputSchema: JsonObject;
  readonly steps: readonly WorkflowStep[];
  /** Strings in it that begin with `=` are JSONata. Null: the outputs of the steps, by id. */
  readonly output: Json;
}

/** A workflow of an account. Named tools and connections may no longer exist. */
export interface Workflow extends WorkflowContent {
  readonly workflowToken: string;
  /** 1, incremented with each change. */
  readonly revision: number;
  /** Former slugs; policies of toolsets may still use one. */
  readonly aliases: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A workflow for lists, with unparsed JSON. */
export type WorkflowView = Omit<Workflow, 'inputSchema' | 'steps' | 'output'> & {
  readonly inputSchema: LazyJson;
  readonly steps: readonly (Omit<WorkflowStep, 'fields'> & { readonly fields: LazyJson })[];
  readonly output: LazyJson;
};

/** The permanent identity of a workflow as a tool: its token never changes. */
export function namesOfWorkflow({
  workflowToken,
  slug,
  aliases,
}: Pick<Workflow, 'workflowToken' | 'slug' | 'aliases'>): NamedTool {
  return { toolSlug: slug, aliases, identities: [`workflow ${workflowToken}`] };
}

/** The members to change; an absent one keeps its value. */
export type WorkflowChange = Partial<WorkflowContent>;

/** Limits of a workflow; see docs/limits.md. */
export const WORKFLOW_LIMITS = {
  perAccount: 1_000,
  nameCharacters: 200,
  descriptionCharacters: 2_000,
  steps: 50,
  expressions: 500,
  expressionCharacters: 4_096,
  schemaBytes: 64 * 1024,
  /** The whole workflow as JSON. */
  documentBytes: 256 * 1024,
  aliases: 100,
} as const;

const SCHEMA_TOO_LARGE: FieldIssue = {
  field: 'inputSchema',
  issue: `must be at most ${WORKFLOW_LIMITS.schemaBytes / 1024} KiB of JSON`,
};
const FILE_ELSEWHERE: FieldIssue = {
  field: 'inputSchema',
  issue: 'must have format: file only for its properties: a file in an object or a list is not read as one',
};
const DOCUMENT_TOO_LARGE: FieldIssue = {
  field: 'steps',
  issue: `must be, with all other members, at most ${WORKFLOW_LIMITS.documentBytes / 1024} KiB of JSON`,
};

const SLUG = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;
const STEP_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** An expression of a workflow and its path in the record: `steps[0].fields.name`. */
export interface WorkflowExpression {
  readonly field: string;
  /** Without the leading `=`. */
  readonly text: string;
}

/** All expressions of a workflow, in order. */
export function workflowExpressions({
  steps = [],
  output = null,
}: WorkflowChange): readonly WorkflowExpression[] {
  const placed = (root: string, template: Json): readonly WorkflowExpression[] =>
    expressionsOf(template).map(({ path, text }) => ({ field: `${root}${path}`, text }));
  return [
    ...steps.flatMap(({ when = null, forEach = null, fields }, index) => [
      ...placed(`steps[${index}].when`, when),
      ...placed(`steps[${index}].forEach`, forEach),
      ...placed(`steps[${index}].fields`, fields),
    ]),
    ...placed('output', output),
  ];
}

/**
 * Throws VALIDATION_ERROR naming every invalid member; `current` is the workflow to be changed, if any. Does not parse expressions or
 * compile the schema. Source: row completion.toolsets-and-workflows.36.
 */
export function checkWorkflowBounds(content: WorkflowChange, current?: WorkflowContent): void {
  const issues = [
    ...textIssues(content),
    ...schemaIssues(content),
    ...stepIssues(content),
    ...sizeIssues({ ...(current && contentOf(current)), ...content }),
  ];
  if (issues.length > 0) throw validationError(...issues);
}

/** Returns a part of a workflow; VALIDATION_ERROR, before parsing, if it exceeds the limit of a whole workflow. */
export function withinWorkflow(part: LazyJson, member: 'inputSchema' | 'steps' | 'output'): LazyJson {
  if (part.bytes.length > WORKFLOW_LIMITS.documentBytes)
    throw validationError(member === 'inputSchema' ? SCHEMA_TOO_LARGE : DOCUMENT_TOO_LARGE);
  return part;
}

/** The CONFLICT for a slug that another workflow of the account has or had: policies of toolsets may use that slug for it. */
export function slugTaken(): ApiError {
  return new ApiError('CONFLICT', 'Another workflow of the account has that slug, or has had it before.');
}

function textIssues({ name, slug, description = '' }: WorkflowChange): readonly FieldIssue[] {
  const { nameCharacters, descriptionCharacters } = WORKFLOW_LIMITS;
  const issues: FieldIssue[] = [];
  if (name !== undefined && (name.trim() === '' || lengthOf(name) > nameCharacters))
    issues.push({ field: 'name', issue: `must have 1 to ${nameCharacters} characters and not be blank` });
  if (slug !== undefined && !SLUG.test(slug))
    issues.push({
      field: 'slug',
      issue: 'must be a slug: 1 to 200 letters, digits, dots, hyphens and underscores',
    });
  if (lengthOf(description) > descriptionCharacters)
    issues.push({ field: 'description', issue: `must have at most ${descriptionCharacters} characters` });
  return issues;
}

function schemaIssues({ inputSchema }: WorkflowChange): readonly FieldIssue[] {
  if (inputSchema === undefined) return [];
  if (jsonBytes(inputSchema).length > WORKFLOW_LIMITS.schemaBytes) return [SCHEMA_TOO_LARGE];
  const { type = 'object' } = inputSchema;
  if (type !== 'object')
    return [{ field: 'inputSchema.type', issue: 'must be object, as the inputs are one' }];
  return hasFileElsewhere(inputSchema) ? [FILE_ELSEWHERE] : [];
}

function stepIssues({ steps }: WorkflowChange): readonly FieldIssue[] {
  if (steps === undefined) return [];
  if (steps.length < 1 || steps.length > WORKFLOW_LIMITS.steps)
    return [{ field: 'steps', issue: `must have 1 to ${WORKFLOW_LIMITS.steps} items` }];
  const ids = new Set<string>();
  return steps.flatMap(({ id, connectionId = 1, when, forEach }, index) => {
    const at = `steps[${index}]`;
    const issues: FieldIssue[] = [];
    if (!STEP_ID.test(id))
      issues.push({
        field: `${at}.id`,
        issue:
          'must begin with a letter or digit, and have at most 64 letters, digits, hyphens and underscores',
      });
    else if (ids.has(id))
      issues.push({ field: `${at}.id`, issue: 'must be different from those of other steps' });
    ids.add(id);
    if (connectionId < 1)
      issues.push({ field: `${at}.connectionId`, issue: 'must be an integer of 1 or more' });
    for (const [name, text] of Object.entries({ when, forEach }))
      if (text !== undefined && !isExpression(text))
        issues.push({ field: `${at}.${name}`, issue: 'must be an expression: begin with =' });
    return issues;
  });
}

function sizeIssues(content: WorkflowChange): readonly FieldIssue[] {
  const { documentBytes, expressions: maxExpressions, expressionCharacters } = WORKFLOW_LIMITS;
  if (jsonBytes(content).length > documentBytes) return [DOCUMENT_TOO_LARGE];
  const expressions = workflowExpressions(content);
  if (expressions.length > maxExpressions)
    return [{ field: 'steps', issue: `must hold, with output, at most ${maxExpressions} expressions` }];
  return expressions
    .filter(({ text }) => text.length > expressionCharacters)
    .map(({ field }) => ({ field, issue: `must have at most ${expressionCharacters} characters` }));
}

function contentOf({
  name,
  slug,
  description,
  inputSchema,
  steps,
  output,
}: WorkflowContent): WorkflowContent {
  return { name, slug, description, inputSchema, steps, output };
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}
