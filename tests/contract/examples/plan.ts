import { administrationExamples } from './administration.ts';
import { catalogueExamples } from './catalogue.ts';
import { connectionExamples, newConnection } from './connections.ts';
import { endUserExamples } from './end-users.ts';
import { fileExamples } from './files.ts';
import { operatorExamples } from './operator.ts';
import { mcpServerExamples } from './mcp-servers.ts';
import { onPremAgentExamples } from './on-prem-agents.ts';
import type { PlanRun } from './plan-run.ts';
import { toolExamples } from './tools.ts';
import { toolsetExamples } from './toolsets.ts';
import { triggerExamples } from './triggers.ts';
import { workflowExamples } from './workflows.ts';

/** Sends the example of every operation. */
export async function runPlan(run: PlanRun): Promise<void> {
  const connectionId = await newConnection(run);
  await catalogueExamples(run);
  await connectionExamples(run, connectionId);
  await toolExamples(run);
  await toolsetExamples(run, connectionId);
  await workflowExamples(run);
  await fileExamples(run);
  await triggerExamples(run);
  await endUserExamples(run);
  await administrationExamples(run, connectionId);
  await mcpServerExamples(run, connectionId);
  await onPremAgentExamples(run);
  await operatorExamples(run);
}
