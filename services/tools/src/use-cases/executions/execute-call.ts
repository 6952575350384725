import { accountOf, confinementOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { isGuid } from '@fairlead/service-kit/ids';
import { confinedToolset } from '../../domain/confinement.ts';
import type { Toolset } from '../../domain/toolset.ts';
import { WORKFLOW_APPLICATION } from '../../domain/workflow.ts';
import type { Workflow } from '../../domain/workflow.ts';
import type { ExecutionResult } from '../../domain/execution.ts';
import type { RunPorts } from '../../ports/execution-ports.ts';
import { repeatIfChanged } from './repeat-if-changed.ts';
import { executeTool } from './execute-tool.ts';
import type { ExecuteToolRequest } from './execute-tool.ts';
import { runWorkflow } from '../workflows/run-workflow.ts';

/**
 * Executes what a slug names: a workflow that the call's toolset holds, otherwise a tool. A run whose toolset or workflow changes before it
 * begins is checked anew. A caller who is confined to a toolset calls with that one; FORBIDDEN with another.
 */
export async function executeCall(
  ports: RunPorts,
  ctx: RequestContext,
  sent: ExecuteToolRequest,
): Promise<ExecutionResult> {
  const request = { ...sent, toolsetId: confinedToolset(confinementOf(ctx), sent.toolsetId) };
  const result = await repeatIfChanged(async () => {
    const called = await findCalledWorkflow(ports, ctx, request);
    return called && (await runWorkflow(ports, ctx, called, request));
  });
  return result ?? (await executeTool(ports, ctx, request));
}

async function findCalledWorkflow(
  { toolsets, workflows }: RunPorts,
  ctx: RequestContext,
  { toolSlug, applicationSlug, toolsetId }: ExecuteToolRequest,
): Promise<{ readonly workflow: Workflow; readonly toolset: Toolset } | undefined> {
  // What is wrong with an id, executeTool says.
  if (toolsetId === undefined || !isGuid(toolsetId)) return undefined;
  if (applicationSlug !== '' && applicationSlug !== WORKFLOW_APPLICATION) return undefined;
  const accountId = accountOf(ctx);
  const toolset = await toolsets.find(ctx, accountId, toolsetId);
  if (toolset === undefined || toolset.workflowTokens.length === 0) return undefined;
  const workflow = await workflows.findBySlug(ctx, accountId, toolSlug);
  const isHeld = workflow !== undefined && toolset.workflowTokens.includes(workflow.workflowToken);
  return isHeld ? { workflow, toolset } : undefined;
}
