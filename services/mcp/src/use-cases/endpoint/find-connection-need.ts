import { randomUUID } from 'node:crypto';
import type { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { OwnConnections } from '../../ports/own-connections.ts';
import type { CallOutcome, ToolCall } from '../../ports/tool-calls.ts';

export interface FindConnectionNeedDeps {
  readonly ownConnections: OwnConnections;
}

/** A call that failed because its user has to connect an application first. */
export interface ConnectionNeed {
  /** The page on which that user alone can connect it. */
  readonly url: string;
  readonly applicationSlug: string;
  /** Why the call failed. */
  readonly reason: string;
  /** Code of the refusal; undefined: the call was made. */
  readonly errorCode: string | undefined;
  /** Names the elicitation. */
  readonly elicitationId: string;
}

/** The reason why the calling user has to connect an application, if that is what a call needs; undefined otherwise. */
export async function findConnectionNeed(
  { ownConnections }: FindConnectionNeedDeps,
  ctx: RequestContext,
  { target, endUserId }: Pick<ToolCall, 'target' | 'endUserId'>,
  ended:
    | { readonly kind: 'refused'; readonly error: ApiError }
    | { readonly kind: 'outcome'; readonly outcome: CallOutcome },
): Promise<ConnectionNeed | undefined> {
  if (target.kind !== 'tool' || endUserId === undefined || ctx.caller.kind !== 'user') return undefined;
  const { userId } = ctx.caller;
  const { applicationSlug } = target;
  const need = (connectionId: number | undefined, reason: string, errorCode?: string) => ({
    url: ownConnections.linkFor(userId, applicationSlug, connectionId),
    applicationSlug,
    reason,
    errorCode,
    elicitationId: randomUUID(),
  });
  if (ended.kind === 'refused')
    return ended.error.code === 'NO_DEFAULT_CONNECTION'
      ? need(undefined, `You have no connection of your own to ${applicationSlug}.`, ended.error.code)
      : undefined;
  if (ended.outcome.kind !== 'failure') return undefined;
  const expired = await ownConnections.findExpired(ctx, { applicationSlug, endUserId });
  return expired === undefined ? undefined : need(expired, ended.outcome.errorMessage);
}
