import type { JsonValue } from '@bufbuild/protobuf';
import { clientOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { LazyValue } from '@fairlead/service-kit/json/lazy-json';
import type { RpcRequest } from '../../endpoint/answer-post.ts';
import { isObject, RPC_ERRORS, RpcError } from '../../endpoint/json-rpc.ts';
import type { ClientChannel } from '../../ports/client-channel.ts';
import type { ListChanges } from '../../ports/list-changes.ts';
import type { ActiveServer } from '../../ports/active-servers.ts';
import type { FollowedLists } from '../../ports/upstreams.ts';
import { findFollowedResources } from './find-followed-resources.ts';
import { followResources } from './follow-resources.ts';
import type { FollowResourcesDeps } from './follow-resources.ts';

export interface ListenToChangesDeps extends FollowResourcesDeps {
  readonly listChanges: ListChanges;
  readonly followedLists: Pick<FollowedLists, 'follow'>;
  /** Aborts when the service stops; the gateway then continues at another replica. */
  readonly stopping: AbortSignal;
}

/** Member of `_meta` that names a subscription. */
const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';

const RESOURCES = 'resourceSubscriptions';
const MAX_URIS = 100;

/** Notifications of changed lists, by the filter member that requests them. */
const LIST_NOTICES = {
  toolsListChanged: 'notifications/tools/list_changed',
  promptsListChanged: 'notifications/prompts/list_changed',
  resourcesListChanged: 'notifications/resources/list_changed',
} as const;

/**
 * Notifies the client of changes until it or the service ends the request (`subscriptions/listen`, MCP 2026-07-28). The first notification
 * says which requested subscriptions are granted. RpcError for a malformed filter, and if the channel is not interactive.
 */
export async function listenToChanges(
  deps: ListenToChangesDeps,
  caller: RequestContext,
  { upstreams, sources }: ActiveServer,
  { id, params }: Pick<RpcRequest, 'id' | 'params'>,
  channel: ClientChannel,
): Promise<Readonly<Record<string, LazyValue>>> {
  if (!channel.isInteractive)
    throw new RpcError(RPC_ERRORS.invalidRequest, 'subscriptions/listen is answered by a stream.');
  const ctx = { ...caller, signal: AbortSignal.any([caller.signal, deps.stopping]) };
  const filter = filterIn(params.get('notifications'));
  const lists = Object.entries(LIST_NOTICES).filter(
    ([name]) => filter[name] === true && (name === 'toolsListChanged' || upstreams.length > 0),
  );
  const meta = { _meta: { [SUBSCRIPTION_ID]: id.parse() } };
  const followed = await findFollowedResources(deps, ctx, upstreams, urisIn(filter[RESOURCES]));
  const uris = followed.flatMap((it) => it.uris);
  const granted = {
    ...Object.fromEntries(lists.map(([name]) => [name, true])),
    ...(uris.length > 0 && { [RESOURCES]: uris }),
  };
  channel.notify('notifications/subscriptions/acknowledged', { notifications: granted, ...meta });
  for (const it of followed)
    void followResources(deps, ctx, it, (uri) =>
      channel.notify('notifications/resources/updated', { uri, ...meta }),
    );
  const end = deps.listChanges.subscribe(clientOf(ctx).accountId, () => {
    for (const [, method] of lists) channel.notify(method, meta);
  });
  const others = sources.filter((it) =>
    followed.every(({ upstream }) => upstream.connectionId !== it.connectionId),
  );
  const unfollow = deps.followedLists.follow(ctx, lists.length === 0 ? [] : others);
  try {
    await untilAborted(ctx.signal);
    return meta;
  } finally {
    end();
    unfollow();
  }
}

/** The resources in a filter, at most MAX_URIS. RpcError if it is malformed. */
function urisIn(value: JsonValue | undefined): readonly string[] {
  if (value === undefined) return [];
  const uris = Array.isArray(value) ? value.filter((uri) => typeof uri === 'string') : undefined;
  if (uris !== undefined && uris.length <= MAX_URIS) return [...new Set(uris)];
  throw new RpcError(
    RPC_ERRORS.invalidParams,
    `params.notifications.${RESOURCES}: must be at most ${MAX_URIS} URIs`,
  );
}

function filterIn(bytes: Uint8Array | undefined): Readonly<Record<string, JsonValue>> {
  const filter = bytes && new LazyJson(bytes, 'params.notifications').parse();
  if (isObject(filter)) return filter;
  throw new RpcError(RPC_ERRORS.invalidParams, 'params.notifications: must be an object');
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
