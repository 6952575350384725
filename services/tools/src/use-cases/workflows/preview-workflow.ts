import type { JsonObject } from '@fairlead/connector-model/json';
import { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { originOfSteps } from '../../domain/call-origin.ts';
import type { ExecutionResult, Outcome } from '../../domain/execution.ts';
import { contextOf, holds, itemsOf, runInfo } from '../../domain/workflow-run.ts';
import type { RunHead } from '../../domain/workflow-run.ts';
import type { WorkflowStep } from '../../domain/workflow.ts';
import { executeTool } from '../executions/execute-tool.ts';
import type { ExecutionPorts, RunPorts } from '../../ports/execution-ports.ts';

type PreviewPorts = ExecutionPorts & Pick<RunPorts, 'expressions'>;

const EVALUATION_MS = 10_000;

/** The reason why there is no preview, for people. */
class NoPreviewError extends Error {
  override readonly name = 'NoPreviewError';
}

/**
 * The request that a run's first call would send, with its step; later calls depend on its answer. Skips steps whose condition is false or
 * that have no items. Sends and records nothing.
 */
export async function previewWorkflow(
  ports: PreviewPorts,
  ctx: RequestContext,
  head: Omit<RunHead, 'historyId'>,
  secrets: readonly string[],
): Promise<ExecutionResult> {
  const end = (outcome: Outcome): ExecutionResult => ({
    outcome,
    historyId: undefined,
    info: runInfo(head, 0, ports.clock.now()),
  });
  for (const step of head.workflow.steps) {
    try {
      const fields = await fieldsOf(ports, ctx, head, step);
      if (fields === undefined) continue;
      const { outcome } = await executeTool(ports, ctx, {
        origin: originOfSteps(head.origin),
        toolSlug: step.toolSlug,
        applicationSlug: step.applicationSlug,
        connectionId: step.connectionId,
        toolsetId: head.toolsetId,
        endUserId: head.endUserId,
        fields,
        filters: [],
        sorts: [],
        top: undefined,
        offset: undefined,
        dryRun: true,
        schemaProfile: '',
        secrets,
      });
      if (!outcome.isSuccess) return end(failed(step, outcome.errorMessage));
      return end({
        isSuccess: true,
        output: { stepId: step.id, toolSlug: step.toolSlug, ...outcome.output },
      });
    } catch (error) {
      if (error instanceof NoPreviewError) return end(failed(step, error.message));
      if (error instanceof ApiError) return end(failed(step, `${error.code}: ${error.message}`));
      throw error;
    }
  }
  return end({ isSuccess: true, output: {} });
}

/** The fields of the step's first call; undefined if it makes no call. */
async function fieldsOf(
  { expressions }: PreviewPorts,
  ctx: RequestContext,
  { input, accountId }: Pick<RunHead, 'input' | 'accountId'>,
  { when, forEach, fields }: WorkflowStep,
): Promise<JsonObject | undefined> {
  const evaluate = async (member: string, template: JsonObject | string, context: JsonObject) => {
    const o = { accountId, signal: ctx.signal, timeoutMs: EVALUATION_MS };
    const evaluated = await expressions.evaluate(template, context, o);
    if (evaluated.kind === 'value') return evaluated.value;
    throw new NoPreviewError(`${member}${evaluated.path}: ${evaluated.message}`);
  };
  const context = contextOf(input, {}, undefined);
  if (when !== undefined && !holds(await evaluate('when', when, context))) return undefined;
  if (forEach === undefined) return (await evaluate('fields', fields, context)) as JsonObject;
  const [item] = itemsOf(await evaluate('forEach', forEach, context));
  if (item === undefined) return undefined;
  // The template is an object, so its value is, too.
  return (await evaluate('fields', fields, contextOf(input, {}, item))) as JsonObject;
}

function failed({ id }: WorkflowStep, message: string): Outcome {
  return { isSuccess: false, errorMessage: `Step "${id}" failed: ${message}` };
}
