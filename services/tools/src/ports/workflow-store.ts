import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ListPart, Page } from '@fairlead/service-kit/page';
import type { ListedWorkflow, Workflow, WorkflowChange } from '../domain/workflow.ts';

/** The outcome of a deletion. */
export type WorkflowDeletion =
  | { readonly kind: 'deleted' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'inUse'; readonly toolsetIds: readonly string[] };

/** The workflows of all accounts; every method is confined to one account. */
export interface WorkflowStore {
  /** `taken`: the account has a workflow with that slug. CONFLICT if it has as many as it may have, whatever is created at the same time. */
  insert(ctx: RequestContext, accountId: string, workflow: Workflow): Promise<'inserted' | 'taken'>;
  find(ctx: RequestContext, accountId: string, workflowToken: string): Promise<Workflow | undefined>;
  findBySlug(ctx: RequestContext, accountId: string, slug: string): Promise<Workflow | undefined>;
  /** The workflows that exist, in any order, without what they do. */
  findSome(
    ctx: RequestContext,
    accountId: string,
    workflowTokens: readonly string[],
  ): Promise<readonly Omit<ListedWorkflow, 'steps' | 'output'>[]>;
  /** Newest first. */
  list(ctx: RequestContext, accountId: string, page: Page): Promise<ListPart<ListedWorkflow>>;
  /** The workflow as it is then, with the slug that was found as an alias; undefined if it has changed or is gone; `taken`: another one has that slug. */
  update(
    ctx: RequestContext,
    accountId: string,
    found: Pick<Workflow, 'workflowToken' | 'slug' | 'revision'>,
    change: WorkflowChange,
    now: Date,
  ): Promise<Workflow | 'taken' | undefined>;
  /**
   * Removes the workflow. One that toolsets hold is removed from them in the same transaction, or, without
   * `isForced`, kept, and those toolsets are returned, at most 100.
   */
  delete(
    ctx: RequestContext,
    accountId: string,
    workflowToken: string,
    o: { readonly isForced: boolean; readonly now: Date },
  ): Promise<WorkflowDeletion>;
}
