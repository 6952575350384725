import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ListPart, Page } from '@fairlead/service-kit/page';
import type { ListedToolset, Toolset, ToolsetChange } from '../domain/toolset.ts';

/** A record that toolsets may use. */
export type UsedByToolsets = { readonly connectionId: number } | { readonly workflowToken: string };

/** The toolsets of all accounts; every method is confined to one account. */
export interface ToolsetStore {
  /** CONFLICT if the account has MAX_TOOLSETS, whatever is created at the same time. */
  insert(ctx: RequestContext, accountId: string, toolset: Toolset): Promise<void>;
  find(ctx: RequestContext, accountId: string, id: string): Promise<Toolset | undefined>;
  /** Newest first. */
  list(ctx: RequestContext, accountId: string, page: Page): Promise<ListPart<ListedToolset>>;
  /**
   * The toolset as it is then; undefined if there is none. A change that affects bindings is made to the given revision only, and
   * adds one to it: undefined also if there is another one by then.
   */
  update(
    ctx: RequestContext,
    accountId: string,
    checked: Pick<Toolset, 'id' | 'revision'>,
    change: ToolsetChange,
    now: Date,
  ): Promise<Toolset | undefined>;
  /** Removes connections and workflows from one toolset, which is returned as it is then; undefined if there is none. */
  removeMembers(
    ctx: RequestContext,
    accountId: string,
    id: string,
    members: Pick<Toolset, 'connectionIds' | 'workflowTokens'>,
  ): Promise<Toolset | undefined>;
  /** Whether there was one to remove. */
  delete(ctx: RequestContext, accountId: string, id: string): Promise<boolean>;
  /** The ids of the toolsets that use a connection or a workflow, at most `most`. */
  listUses(
    ctx: RequestContext,
    accountId: string,
    used: UsedByToolsets,
    most: number,
  ): Promise<readonly string[]>;
  /** Removes connections from every toolset. */
  removeUses(
    ctx: RequestContext,
    accountId: string,
    connectionIds: readonly number[],
    now: Date,
  ): Promise<void>;
}
