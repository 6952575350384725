import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ListPart, Page } from '@fairlead/service-kit/page';
import type { ToolsetView, Toolset, ToolsetChange } from '../domain/toolset.ts';

/** A record that toolsets may contain. */
export type ToolsetMember = { readonly connectionId: number } | { readonly workflowToken: string };

/** Stores toolsets; every method is limited to one account. */
export interface ToolsetStore {
  /** CONFLICT if the account has MAX_TOOLSETS, also under concurrent creations. */
  insert(ctx: RequestContext, accountId: string, toolset: Toolset): Promise<void>;
  find(ctx: RequestContext, accountId: string, id: string): Promise<Toolset | undefined>;
  /** Newest first. */
  list(ctx: RequestContext, accountId: string, page: Page): Promise<ListPart<ToolsetView>>;
  /**
   * Returns the changed toolset; undefined if there is none. A change that affects bindings applies to the given revision only and
   * increments it; undefined also if the revision differs.
   */
  update(
    ctx: RequestContext,
    accountId: string,
    checked: Pick<Toolset, 'id' | 'revision'>,
    change: ToolsetChange,
    now: Date,
  ): Promise<Toolset | undefined>;
  /** Removes connections and workflows from one toolset and returns it; undefined if there is none. */
  removeMembers(
    ctx: RequestContext,
    accountId: string,
    id: string,
    members: Pick<Toolset, 'connectionIds' | 'workflowTokens'>,
  ): Promise<Toolset | undefined>;
  /** Returns whether a toolset was removed. */
  delete(ctx: RequestContext, accountId: string, id: string): Promise<boolean>;
  /** The ids of toolsets that contain a connection or a workflow, at most `most`. */
  listUses(
    ctx: RequestContext,
    accountId: string,
    used: ToolsetMember,
    most: number,
  ): Promise<readonly string[]>;
  /** Removes connections from all toolsets. */
  removeUses(
    ctx: RequestContext,
    accountId: string,
    connectionIds: readonly number[],
    now: Date,
  ): Promise<void>;
}
