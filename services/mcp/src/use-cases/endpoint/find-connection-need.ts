import { randomUUID } from 'node:crypto';
import type { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ExpiredConnection, OwnConnections } from '../../ports/own-connections.ts';
import type { CallOutcome, ToolCall } from '../../ports/tool-calls.ts';

export interface FindConnectionNeedDeps {
  readonly ownConnections: OwnConnections;
}

/** A call that failed because its user must first connect an application, or sign in again for a shared connection. */
export interface ConnectionNeed {
  /** The page on which only that user can connect it. */
  readonly url: string;
  /** Text about what the user does on the page. */
  readonly message: string;
  /** Why the call failed. */
  readonly reason: string;
  /** Code of the refusal; undefined: the call was executed. */
  readonly errorCode: string | undefined;
  readonly elicitationId: string;
}

/** A call that failed because of a shared connection that its user cannot renew. */
export interface OwnerAdvice {
  /** Why the call failed, and who can renew the connection. */
  readonly advice: string;
}

type CallResult =
  | { readonly kind: 'refused'; readonly error: ApiError }
  | { readonly kind: 'outcome'; readonly outcome: CallOutcome };

const PERMISSION = 'connections.write';

/** Whether a failed call needs somebody to connect an application, and why; undefined otherwise. */
export async function findConnectionNeed(
  { ownConnections }: FindConnectionNeedDeps,
  ctx: RequestContext,
  { target, endUserId }: Pick<ToolCall, 'target' | 'endUserId'>,
  ended: CallResult,
): Promise<ConnectionNeed | OwnerAdvice | undefined> {
  if (target.kind !== 'tool') return undefined;
  const { applicationSlug, connectionId: sharedId } = target;
  const { caller } = ctx;
  if (sharedId !== undefined) {
    // Anonymous clients must not learn about the account's connections.
    if (caller.kind !== 'user' || ended.kind === 'refused' || ended.outcome.kind !== 'failure')
      return undefined;
    const expired = await ownConnections.findExpired(ctx, { sharedId });
    if (expired === undefined) return undefined;
    const { errorMessage } = ended.outcome;
    const elicitationId = randomUUID();
    if (!caller.permissions.includes(PERMISSION) || !expired.isRenewable)
      return { advice: `${errorMessage}\n${adviceOf(expired)}` };
    return {
      url: ownConnections.linkFor({
        userId: caller.userId,
        applicationSlug,
        connectionId: sharedId,
        isShared: true,
        elicitationId,
      }),
      message: `Sign in again for the connection "${expired.name}", which others use, too; then the tool can be called.`,
      reason: errorMessage,
      errorCode: undefined,
      elicitationId,
    };
  }
  if (endUserId === undefined || caller.kind !== 'user') return undefined;
  const elicitationId = randomUUID();
  const linked = { userId: caller.userId, applicationSlug, isShared: false, elicitationId };
  const need = (connectionId: number | undefined, reason: string, errorCode?: string): ConnectionNeed => ({
    url: ownConnections.linkFor({ ...linked, connectionId }),
    message: `Connect your own account of ${applicationSlug}, then the tool can be called.`,
    reason,
    errorCode,
    elicitationId,
  });
  if (ended.kind === 'refused')
    return ended.error.code === 'NO_DEFAULT_CONNECTION'
      ? need(undefined, `You have no connection of your own to ${applicationSlug}.`, ended.error.code)
      : undefined;
  if (ended.outcome.kind !== 'failure') return undefined;
  const expired = await ownConnections.findExpired(ctx, { applicationSlug, endUserId });
  return expired === undefined ? undefined : need(expired.id, ended.outcome.errorMessage);
}

function adviceOf({ id, name }: ExpiredConnection): string {
  return `The sign-in of the shared connection "${name}" (${id}) has expired. A user of the account with the permission ${PERMISSION} can renew it; then the same call works.`;
}
