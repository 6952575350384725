import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Timers } from '@fairlead/service-kit/timers';
import type { KnownLists, UpstreamChanges } from '../../ports/upstreams.ts';
import type { FollowedResources } from './find-followed.ts';

export interface FollowResourcesDeps {
  readonly knownLists: KnownLists;
  readonly upstreamChanges: UpstreamChanges;
  readonly timers: Timers;
}

const PAUSE_MS = 1_000;
/** Pause after failures that follow each other: the connection may be gone. */
const LONGEST_PAUSE_MS = 30_000;

/**
 * Calls back for each resource that may have changed, until the signal aborts. Lists that the upstream says to have changed are read again.
 * Never rejects: after a failure all resources and lists may have changed.
 */
export async function followResources(
  deps: FollowResourcesDeps,
  ctx: RequestContext,
  { upstream: { connectionId }, uris }: FollowedResources,
  onUpdate: (uri: string) => void,
): Promise<void> {
  for (let pauseMs = PAUSE_MS; !ctx.signal.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const startedAt = performance.now();
    try {
      for await (const change of deps.upstreamChanges.listen(ctx, connectionId, uris)) {
        pauseMs = PAUSE_MS;
        for (const uri of change.uris) onUpdate(uri);
        if (change.haveListsChanged) await readListsAgain(deps, ctx, connectionId);
      }
    } catch (error) {
      if (!ctx.signal.aborted)
        ctx.log.warn({ err: error, connectionId }, 'changes of resources were not followed');
    }
    if (performance.now() - startedAt > LONGEST_PAUSE_MS) pauseMs = PAUSE_MS;
    await new Promise<void>((resolve) => void deps.timers.after(pauseMs, resolve));
    if (ctx.signal.aborted) return;
    for (const uri of uris) onUpdate(uri);
    // Once now, and once when it is followed again.
    void readListsAgain(deps, ctx, connectionId).catch((error: unknown) =>
      ctx.log.warn({ err: error, connectionId }, 'the lists of an MCP server were not read'),
    );
  }
}

/** Lists that were read a moment before the change are not read again at once. */
async function readListsAgain(
  { knownLists, timers }: FollowResourcesDeps,
  ctx: RequestContext,
  connectionId: number,
): Promise<void> {
  const read = () => knownLists.find(ctx, [connectionId], 'fresh');
  await read();
  await new Promise<void>((resolve) => void timers.after(PAUSE_MS, resolve));
  await read();
}
