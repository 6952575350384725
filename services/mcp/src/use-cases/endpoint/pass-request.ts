import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { LazyValue } from '@fairlead/service-kit/json/lazy-json';
import { asksClient } from '../../endpoint/round-trip.ts';
import type { RpcRequest } from '../../endpoint/answer-post.ts';
import { cacheable, LIST_TTL_MS } from '../../endpoint/request-envelope.ts';
import type { ClientChannel } from '../../ports/client-channel.ts';
import type { ActiveServer } from '../../ports/active-servers.ts';
import type { AskUpstreamDeps } from './ask-upstream.ts';
import type { FindOfferingDeps } from './find-offering.ts';
import { completeArgument } from './complete-argument.ts';
import { getPrompt } from './get-prompt.ts';
import { listUpstreamItems } from './list-upstream-items.ts';
import type { UpstreamListKind } from './list-upstream-items.ts';
import { readResource } from './read-resource.ts';
import { subscribeToResource } from './subscribe-to-resource.ts';

export type PassRequestDeps = AskUpstreamDeps & FindOfferingDeps;

type Result = Readonly<Record<string, LazyValue>>;

const LISTS: ReadonlyMap<string, UpstreamListKind> = new Map([
  ['prompts/list', 'prompts'],
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resourceTemplates'],
]);

/**
 * The result of a request that is passed to the MCP servers behind the server's connections. Undefined: there are none, or the method is
 * not passed on.
 */
export async function passRequest(
  deps: PassRequestDeps,
  ctx: RequestContext,
  served: ActiveServer,
  { method, params, isStateless }: Omit<RpcRequest, 'id'>,
  channel: ClientChannel,
): Promise<Result | undefined> {
  if (served.upstreams.length === 0) return undefined;
  const cached = isStateless ? cacheable(LIST_TTL_MS) : {};
  const list = LISTS.get(method);
  if (list !== undefined) return { ...(await listUpstreamItems(deps, ctx, served, list, params)), ...cached };
  switch (method) {
    case 'prompts/get':
      return await getPrompt(deps, ctx, served, params, channel);
    case 'resources/read': {
      const result = await readResource(deps, ctx, served, params, channel);
      return { ...result, ...(!asksClient(result) && cached) };
    }
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      return isStateless ? undefined : await subscribeToResource(deps, ctx, served, params);
    case 'completion/complete':
      return await completeArgument(deps, ctx, served, params, channel);
    default:
      return undefined;
  }
}
