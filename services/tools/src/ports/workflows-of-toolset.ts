import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ListedTool } from '../domain/listed-tool.ts';

/** A workflow and the tool that it is run as: its slug, of the application `workflow`. */
export interface WorkflowTool {
  readonly workflowToken: string;
  readonly tool: ListedTool;
}

/** The workflows of the calling account, as toolsets see them. */
export interface WorkflowsOfToolset {
  /** The workflows that exist, in any order. */
  findTools(ctx: RequestContext, workflowTokens: readonly string[]): Promise<readonly WorkflowTool[]>;
}
