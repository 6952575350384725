import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ListPart, Page } from '@fairlead/service-kit/page';
import type { WorkflowView, Workflow, WorkflowChange } from '../domain/workflow.ts';

/** The outcome of a deletion. */
export type WorkflowDeletion =
  | { readonly kind: 'deleted' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'inUse'; readonly toolsetIds: readonly string[] };

/** Stores workflows; every method is limited to one account. */
export interface WorkflowStore {
  /** `taken`: the account has a workflow with that slug. CONFLICT if it has the maximum, also under concurrent creations. */
  insert(ctx: RequestContext, accountId: string, workflow: Workflow): Promise<'inserted' | 'taken'>;
  find(ctx: RequestContext, accountId: string, workflowToken: string): Promise<Workflow | undefined>;
  findBySlug(ctx: RequestContext, accountId: string, slug: string): Promise<Workflow | undefined>;
  /** The existing workflows, in any order, without their steps. */
  findSome(
    ctx: RequestContext,
    accountId: string,
    workflowTokens: readonly string[],
  ): Promise<readonly Omit<WorkflowView, 'steps' | 'output'>[]>;
  /** Newest first. */
  list(ctx: RequestContext, accountId: string, page: Page): Promise<ListPart<WorkflowView>>;
  /**
   * Returns the changed workflow; a changed slug adds the former one as an alias. Undefined if it has changed or is gone; `taken`: another
   * one has the slug.
   */
  update(
    ctx: RequestContext,
    accountId: string,
    found: Pick<Workflow, 'workflowToken' | 'slug' | 'revision'>,
    change: WorkflowChange,
    now: Date,
  ): Promise<Workflow | 'taken' | undefined>;
  /**
   * Removes the workflow. With `isForced` it is removed from its toolsets in the same transaction; otherwise, if toolsets contain it, it
   * stays and they are returned, at most 100.
   */
  delete(
    ctx: RequestContext,
    accountId: string,
    workflowToken: string,
    o: { readonly isForced: boolean; readonly now: Date },
  ): Promise<WorkflowDeletion>;
}
