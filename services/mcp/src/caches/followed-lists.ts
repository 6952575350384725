import { actingAccountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Upstream } from '../domain/upstream-lists.ts';
import type { FollowedLists } from '../ports/upstreams.ts';
import { followResources } from '../use-cases/endpoint/follow-resources.ts';
import type { FollowResourcesDeps } from '../use-cases/endpoint/follow-resources.ts';

/** Upstreams that a replica follows, in all and of one account. */
const MAX_FOLLOWED = 1_000;
const MAX_PER_ACCOUNT = 50;

interface Followed {
  readonly key: string;
  readonly accountId: string;
  readonly end: AbortController;
  followers: number;
  /** Ends the time for which it is followed without followers. */
  lease: { cancel(): void } | undefined;
}

/**
 * Follows the lists of each upstream once, on behalf of the account, for as long as anybody follows them. Within the bounds, the upstream that
 * was asked for least recently gives way; it is followed again when it is asked for.
 */
export function createFollowedLists(deps: FollowResourcesDeps): FollowedLists {
  /** The one that was asked for last is the last. */
  const all = new Map<string, Followed>();

  function give(followed: Followed | undefined): void {
    if (followed === undefined) return;
    followed.lease?.cancel();
    followed.end.abort();
    if (all.get(followed.key) === followed) all.delete(followed.key);
  }

  function makeRoom(accountId: string): void {
    const own = [...all.values()].filter((it) => it.accountId === accountId);
    if (own.length >= MAX_PER_ACCOUNT) give(own[0]);
    else if (all.size >= MAX_FOLLOWED) give(all.values().next().value);
  }

  function start(ctx: RequestContext, upstream: Upstream): Followed {
    const accountId = actingAccountOf(ctx);
    const key = `${accountId} ${upstream.connectionId}`;
    const known = all.get(key);
    all.delete(key);
    if (known === undefined) makeRoom(accountId);
    const followed = known ?? { key, accountId, end: new AbortController(), followers: 0, lease: undefined };
    all.set(key, followed);
    if (known === undefined) {
      // It outlives the request that began it, and must not end with the rights of that caller.
      const caller = { kind: 'serviceForAccount', service: 'mcp', accountId } as const;
      const own = { ...ctx, caller, signal: followed.end.signal, deadline: undefined };
      void followResources(deps, own, { upstream, uris: [] }, () => undefined);
    }
    return followed;
  }

  function endUnlessFollowed(followed: Followed): void {
    if (followed.followers === 0 && followed.lease === undefined) give(followed);
  }

  return {
    follow(ctx, upstreams) {
      const own = upstreams.map((upstream) => {
        const followed = start(ctx, upstream);
        followed.followers += 1;
        return followed;
      });
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
        followed.lease?.cancel();
        followed.lease = deps.timers.after(forMs, () => {
          followed.lease = undefined;
          endUnlessFollowed(followed);
        });
      }
    },
  };
}
