import { ApiError } from '@fairlead/errors/api-error';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import { requireEndUserId } from '../domain/end-user.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';
import type { ConnectSessionStore } from '../ports/connect-session-store.ts';
import type { AwaitSharedReads } from '../ports/shared-reads.ts';
import { deleteConnection } from './delete-connection.ts';

type DeleteEndUserDeps = DepsOf<typeof deleteConnection> & {
  readonly connections: Pick<ConnectionStore, 'list' | 'forgetEndUser'>;
  readonly connectSessions: Pick<ConnectSessionStore, 'deleteOfEndUser'>;
  readonly awaitSharedReads: AwaitSharedReads;
};

const BATCH = 100;

/**
 * Removes all data of an end user: first sessions with their sign-ins, so that nothing new can be connected, then every connection, in use
 * or not, finally the end user's record. Returns the ids of the connections. Succeeds without data. After a failure, repeat the call to
 * continue.
 */
export async function deleteEndUser(
  deps: DeleteEndUserDeps,
  ctx: RequestContext,
  endUserId: string,
): Promise<readonly number[]> {
  const accountId = accountOf(ctx);
  requireEndUserId(endUserId);
  const deleted: number[] = [];
  await deps.connectSessions.deleteOfEndUser(ctx, accountId, endUserId);
  for (;;) {
    const all = { kinds: [], applicationSlug: undefined, status: undefined };
    const page = { ...all, endUserId, offset: 0, top: BATCH };
    const { items } = await deps.connections.list(ctx, accountId, page, deps.clock.now());
    // A connection stored concurrently is found in the next round.
    if (items.length === 0 && (await deps.connections.forgetEndUser(ctx, accountId, endUserId))) {
      // Awaited once for all of them.
      await deps.awaitSharedReads();
      return deleted;
    }
    for (const { id } of items) {
      await deleteConnection(deps, ctx, id).catch((error: unknown) => {
        // Another call has already deleted it.
        if (!(error instanceof ApiError) || error.code !== 'NOT_FOUND') throw error;
      });
      deleted.push(id);
    }
  }
}
