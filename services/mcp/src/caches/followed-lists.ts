import { actingAccountOf } from '@fairlead/service-kit/context/context';
import type { FollowedLists } from '../ports/upstreams.ts';
import { followResources } from '../use-cases/endpoint/follow-resources.ts';
import type { FollowResourcesDeps } from '../use-cases/endpoint/follow-resources.ts';

interface Followed {
  readonly end: AbortController;
  followers: number;
}

/** Follows the lists of each upstream once, on behalf of the account, for as long as anybody follows them. */
export function createFollowedLists(deps: FollowResourcesDeps): FollowedLists {
  const all = new Map<string, Followed>();
  return {
    follow(ctx, upstreams) {
      const accountId = actingAccountOf(ctx);
      const keys = upstreams.map((upstream) => {
        const key = `${accountId} ${upstream.connectionId}`;
        let followed = all.get(key);
        if (followed === undefined) {
          followed = { end: new AbortController(), followers: 0 };
          all.set(key, followed);
          // It outlives the request that began it, and must not end with the rights of that caller.
          const caller = { kind: 'serviceForAccount', service: 'mcp', accountId } as const;
          const own = { ...ctx, caller, signal: followed.end.signal, deadline: undefined };
          void followResources(deps, own, { upstream, uris: [] }, () => undefined);
        }
        followed.followers += 1;
        return key;
      });
      return () => {
        for (const key of keys.splice(0)) {
          const followed = all.get(key);
          if (followed === undefined) continue;
          followed.followers -= 1;
          if (followed.followers > 0) continue;
          followed.end.abort();
          all.delete(key);
        }
      };
    },
  };
}
