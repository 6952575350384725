import { ApiError, notFound, validationError } from '@fairlead/errors/api-error';
import type { FieldIssue } from '@fairlead/errors/api-error';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { isRepeatable } from '../../domain/target.ts';
import type { Candidate } from '../../domain/target.ts';
import { checkWorkflowBounds, workflowExpressions } from '../../domain/workflow.ts';
import type { Workflow, WorkflowChange, WorkflowStep } from '../../domain/workflow.ts';
import { findCandidates } from '../executions/find-candidates.ts';
import { refuseUnknownTool } from '../executions/refuse-unknown-tool.ts';
import type { Catalog } from '../../ports/catalog.ts';
import type { Connections } from '../../ports/connections.ts';
import type { EvaluationOptions, Expressions } from '../../ports/expressions.ts';

export interface CheckWorkflowDeps {
  readonly catalog: Pick<Catalog, 'resolveTool'>;
  readonly connections: Pick<Connections, 'findConnections'>;
  readonly expressions: Pick<Expressions, 'syntaxIssues' | 'isUsableSchema'>;
}

/** Time limit for parsing and compiling in the account's worker, including the wait. */
const CHECK_MS = 5_000;

/**
 * Checks a workflow, or a change of `current`. VALIDATION_ERROR names each invalid member, each expression that is not JSONata, a schema
 * that does not compile, and each step that retries a tool which is not idempotent. Then NOT_FOUND for a step's connection or tool that
 * does not exist (workflows do not count as tools here), and CONFLICT if the catalogue has a tool with its slug.
 */
export async function checkWorkflow(
  deps: CheckWorkflowDeps,
  ctx: RequestContext,
  content: WorkflowChange,
  current?: Workflow,
): Promise<void> {
  checkWorkflowBounds(content, current);
  const o = { accountId: accountOf(ctx), signal: ctx.signal, timeoutMs: CHECK_MS };
  const { slug, steps = [] } = content;
  const tools: (readonly Candidate[])[] = [];
  for (const { toolSlug, applicationSlug } of steps)
    tools.push(await findCandidates(deps, ctx, toolSlug, applicationSlug));
  const issues = [
    ...(await syntaxIssues(deps, content, o)),
    ...(await schemaIssues(deps, content, o)),
    ...retryIssues(steps, tools),
  ];
  if (issues.length > 0) throw validationError(...issues);
  await refuseUnknownConnections(deps, ctx, steps);
  const unknown = steps.find((_step, index) => tools[index]?.length === 0);
  if (unknown) await refuseUnknownTool(deps, ctx, unknown.toolSlug, unknown.applicationSlug);
  if (slug !== undefined && (await findCandidates(deps, ctx, slug, '')).length > 0)
    throw new ApiError('CONFLICT', `There is a tool with the slug ${slug}. Choose another slug.`);
}

async function syntaxIssues(
  { expressions }: CheckWorkflowDeps,
  content: WorkflowChange,
  o: EvaluationOptions,
): Promise<readonly FieldIssue[]> {
  const placed = workflowExpressions(content);
  const texts = placed.map(({ text }) => text);
  const issues = await expressions.syntaxIssues(texts, o);
  return placed.flatMap(({ field }, index) => {
    const issue = issues.get(index);
    return issue === undefined ? [] : [{ field, issue: `is not JSONata: ${issue}` }];
  });
}

async function schemaIssues(
  { expressions }: CheckWorkflowDeps,
  { inputSchema }: WorkflowChange,
  o: EvaluationOptions,
): Promise<readonly FieldIssue[]> {
  if (inputSchema === undefined || (await expressions.isUsableSchema(inputSchema, o))) return [];
  return [
    {
      field: 'inputSchema',
      issue: 'does not compile as JSON Schema 2020-12 or draft-07, or takes too long to',
    },
  ];
}

function retryIssues(
  steps: readonly WorkflowStep[],
  tools: readonly (readonly Candidate[])[],
): readonly FieldIssue[] {
  return steps.flatMap(({ onError, toolSlug }, index) => {
    const candidates = tools[index] ?? [];
    // The connection determines the tool; retries are allowed only if every candidate allows them.
    if (onError !== 'retry' || candidates.every(isRepeatable)) return [];
    const issue = `must not be retry: the catalogue does not say that ${toolSlug} is idempotent`;
    return [{ field: `steps[${index}].onError`, issue }];
  });
}

async function refuseUnknownConnections(
  { connections }: CheckWorkflowDeps,
  ctx: RequestContext,
  steps: readonly WorkflowStep[],
): Promise<void> {
  const ids = [...new Set(steps.flatMap(({ connectionId }) => connectionId ?? []))];
  if (ids.length === 0) return;
  const found = new Set((await connections.findConnections(ctx, { ids })).map(({ id }) => id));
  const missing = ids.find((id) => !found.has(id));
  if (missing !== undefined) throw notFound('connection', missing);
}
