import type { RequestContext } from '@fairlead/service-kit/context/context';
import { jsonBytes, LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { LazyValue } from '@fairlead/service-kit/json/lazy-json';
import { refusedRequest } from '../../endpoint/upstream-result.ts';
import type { Upstream } from '../../domain/upstream-lists.ts';
import type { ClientChannel } from '../../ports/client-channel.ts';
import type { UpstreamAnswer, UpstreamRequests } from '../../ports/upstreams.ts';

export interface AskUpstreamDeps {
  readonly upstreamRequests: Pick<UpstreamRequests, 'callMethod'>;
}

/** The answer of an upstream, which may send requests to the client meanwhile. RpcError if the request is refused before it is sent. */
export async function askUpstream(
  { upstreamRequests }: AskUpstreamDeps,
  ctx: RequestContext,
  { connectionId }: Upstream,
  method: Parameters<UpstreamRequests['callMethod']>[2],
  params: Readonly<Record<string, LazyValue>>,
  channel: ClientChannel,
): Promise<UpstreamAnswer> {
  try {
    const json = new LazyJson(jsonBytes(params));
    return await upstreamRequests.callMethod(ctx, connectionId, method, json, channel);
  } catch (error) {
    throw refusedRequest(error);
  }
}
