import type { RequestContext } from '@fairlead/service-kit/context/context';

/** The workflows and toolsets of the calling account. */
export interface Tools {
  /** The tokens of the existing workflows among those named. */
  findWorkflows(ctx: RequestContext, workflowTokens: readonly string[]): Promise<readonly string[]>;
  /** Throws NOT_FOUND if the toolset does not exist. */
  requireToolset(ctx: RequestContext, toolsetId: string): Promise<void>;
}
