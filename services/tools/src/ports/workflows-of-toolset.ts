import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ListedTool } from '../domain/listed-tool.ts';

/** A workflow with its tool, which has its slug in the application `workflow`. */
export interface WorkflowTool {
  readonly workflowToken: string;
  readonly tool: ListedTool;
}

/** The workflows of the calling account, as tools of toolsets. */
export interface WorkflowsOfToolset {
  /** The existing workflows, in any order. */
  findTools(ctx: RequestContext, workflowTokens: readonly string[]): Promise<readonly WorkflowTool[]>;
}
