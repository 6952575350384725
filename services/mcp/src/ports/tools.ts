import type { RequestContext } from '@fairlead/service-kit/context/context';

/** The workflows and toolsets of the calling account. */
export interface Tools {
  /** The tokens of those of the named workflows that exist. */
  findWorkflows(ctx: RequestContext, workflowTokens: readonly string[]): Promise<readonly string[]>;
  /** NOT_FOUND if there is no such toolset. */
  requireToolset(ctx: RequestContext, toolsetId: string): Promise<void>;
}
