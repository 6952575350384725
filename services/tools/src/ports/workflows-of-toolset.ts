import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ToolSummary } from '../domain/tool-summary.ts';

/** A workflow with its tool, which has its slug in the application `workflow`. */
export interface WorkflowTool {
  readonly workflowToken: string;
  readonly tool: ToolSummary;
}

/** The workflows of the calling account, as tools of toolsets. */
export interface WorkflowsOfToolset {
  /** The existing workflows, in any order. */
  findTools(ctx: RequestContext, workflowTokens: readonly string[]): Promise<readonly WorkflowTool[]>;
}
