import { ApiError } from '@fairlead/errors/api-error';
import { accountOf, confinementOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { isGuid } from '@fairlead/service-kit/ids';
import { confinedToolset } from '../../domain/confinement.ts';
import { toolNotInToolset } from '../../domain/toolset-scope.ts';
import { WORKFLOW_APPLICATION } from '../../domain/workflow.ts';
import type { ExecutionResult } from '../../domain/execution.ts';
import type { RunPorts } from '../../ports/execution-ports.ts';
import { repeatIfChanged } from './repeat-if-changed.ts';
import { executeTool } from './execute-tool.ts';
import type { ExecuteToolRequest } from './execute-tool.ts';
import { getToolset } from '../toolsets/get-toolset.ts';
import { getWorkflow } from '../workflows/get-workflow.ts';
import { runWorkflow } from '../workflows/run-workflow.ts';
import type { WorkflowInToolset } from '../workflows/run-workflow.ts';

/** A call of a tool, or of a workflow by token. */
export interface CallRequest extends ExecuteToolRequest {
  /** Token of the workflow to run, instead of the slugs; with a toolset, the toolset must contain it. */
  readonly workflowToken?: string | undefined;
}

/**
 * Executes the workflow with the call's token; without a token, the workflow of the toolset or else the tool that has the slug. NOT_FOUND
 * for an unknown token, TOOL_NOT_IN_TOOLSET for one that the toolset does not contain. If toolset or workflow change before a run begins,
 * it is checked again. FORBIDDEN for an anonymous client, unless it calls through an MCP server. A restricted caller uses its own toolset;
 * FORBIDDEN with another.
 */
export async function executeCall(
  ports: RunPorts,
  ctx: RequestContext,
  sent: CallRequest,
): Promise<ExecutionResult> {
  if (ctx.caller.kind === 'anonymousClient' && sent.origin.source !== 'mcp')
    throw new ApiError('FORBIDDEN', 'A client without a credential calls tools through an MCP server only.');
  const request = { ...sent, toolsetId: confinedToolset(confinementOf(ctx), sent.toolsetId) };
  const result = await repeatIfChanged(async () => {
    const workflowCall = await findWorkflowOfCall(ports, ctx, request);
    return workflowCall && (await runWorkflow(ports, ctx, workflowCall, request));
  });
  return result ?? (await executeTool(ports, ctx, request));
}

async function findWorkflowOfCall(
  { toolsets, workflows }: RunPorts,
  ctx: RequestContext,
  { toolSlug, applicationSlug, toolsetId, workflowToken }: CallRequest,
): Promise<WorkflowInToolset | undefined> {
  if (workflowToken !== undefined) {
    const workflow = await getWorkflow({ workflows }, ctx, workflowToken);
    const toolset = toolsetId === undefined ? undefined : await getToolset({ toolsets }, ctx, toolsetId);
    if (toolset?.workflowTokens.includes(workflowToken) === false) throw toolNotInToolset();
    return { workflow, toolset };
  }
  // executeTool reports an invalid id.
  if (toolsetId === undefined || !isGuid(toolsetId)) return undefined;
  if (applicationSlug !== '' && applicationSlug !== WORKFLOW_APPLICATION) return undefined;
  const accountId = accountOf(ctx);
  const toolset = await toolsets.find(ctx, accountId, toolsetId);
  if (toolset === undefined || toolset.workflowTokens.length === 0) return undefined;
  const workflow = await workflows.findBySlug(ctx, accountId, toolSlug);
  const isHeld = workflow !== undefined && toolset.workflowTokens.includes(workflow.workflowToken);
  return isHeld ? { workflow, toolset } : undefined;
}
