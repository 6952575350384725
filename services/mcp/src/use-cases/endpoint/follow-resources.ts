import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Timers } from '@fairlead/service-kit/timers';
import type { UpstreamListCache, UpstreamChanges } from '../../ports/upstreams.ts';
import type { FollowedResources } from './find-followed-resources.ts';

export interface FollowResourcesDeps {
  readonly upstreamLists: UpstreamListCache;
  readonly upstreamChanges: UpstreamChanges;
  readonly timers: Timers;
}

const PAUSE_MS = 1_000;
/** Pause after consecutive failures: the connection may be gone. */
const LONGEST_PAUSE_MS = 30_000;

/**
 * Calls back for each resource that may have changed, until the signal aborts. Lists that the upstream announces as changed are re-read.
 * Never rejects: after a failure, all resources and lists count as changed.
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
    // Called now, and again when following resumes.
    void readListsAgain(deps, ctx, connectionId).catch((error: unknown) =>
      ctx.log.warn({ err: error, connectionId }, 'the lists of an MCP server were not read'),
    );
  }
}

/** Lists read just before the change would not be re-read at once. */
async function readListsAgain(
  { upstreamLists, timers }: FollowResourcesDeps,
  ctx: RequestContext,
  connectionId: number,
): Promise<void> {
  const read = () => upstreamLists.find(ctx, [connectionId], 'fresh');
  await read();
  await new Promise<void>((resolve) => void timers.after(PAUSE_MS, resolve));
  await read();
}
