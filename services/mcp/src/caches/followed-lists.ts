import { actingAccountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Upstream } from '../domain/upstream-lists.ts';
import type { FollowedLists } from '../ports/upstreams.ts';
import { followResources } from '../use-cases/endpoint/follow-resources.ts';
import type { FollowResourcesDeps } from '../use-cases/endpoint/follow-resources.ts';

/** Maximum number of upstreams that a replica follows, in total and per account. */
const MAX_FOLLOWED = 1_000;
const MAX_PER_ACCOUNT = 50;

interface Subscription {
  readonly key: string;
  readonly accountId: string;
  readonly end: AbortController;
  followers: number;
  /** Timer that ends following without followers. */
  lease: { cancel(): void } | undefined;
}

/**
 * Follows the lists of each upstream once, on behalf of the account, as long as anybody follows them. Beyond the maximum an upstream is not
 * followed until there is room: if it replaced another one, both would be reopened again and again.
 */
export function createFollowedLists(deps: FollowResourcesDeps): FollowedLists {
  const all = new Map<string, Subscription>();

  function hasRoom(accountId: string): boolean {
    const own = [...all.values()].filter((it) => it.accountId === accountId);
    return own.length < MAX_PER_ACCOUNT && all.size < MAX_FOLLOWED;
  }

  /** Undefined: the maximum is reached. */
  function start(ctx: RequestContext, upstream: Upstream): Subscription | undefined {
    const accountId = actingAccountOf(ctx);
    const key = `${accountId} ${upstream.connectionId}`;
    const known = all.get(key);
    if (known !== undefined || !hasRoom(accountId)) return known;
    const followed = { key, accountId, end: new AbortController(), followers: 0, lease: undefined };
    all.set(key, followed);
    // Following outlives the request that began it, and must not depend on that caller's permissions.
    const caller = { kind: 'serviceForAccount', service: 'mcp', accountId } as const;
    const own = { ...ctx, caller, signal: followed.end.signal, deadline: undefined };
    void followResources(deps, own, { upstream, uris: [] }, () => undefined);
    return followed;
  }

  function endUnlessFollowed(followed: Subscription): void {
    if (followed.followers > 0 || followed.lease !== undefined) return;
    followed.end.abort();
    all.delete(followed.key);
  }

  return {
    follow(ctx, upstreams) {
      const own = upstreams.flatMap((upstream) => start(ctx, upstream) ?? []);
      for (const followed of own) followed.followers += 1;
      return () => {
        for (const followed of own.splice(0)) {
          followed.followers -= 1;
          endUnlessFollowed(followed);
        }
      };
    },
    followFor(ctx, upstreams, forMs) {
      for (const upstream of upstreams) {
        const followed = start(ctx, upstream);
        if (followed === undefined) continue;
        followed.lease?.cancel();
        followed.lease = deps.timers.after(forMs, () => {
          followed.lease = undefined;
          endUnlessFollowed(followed);
        });
      }
    },
  };
}
