import type { RequestContext } from '@fairlead/service-kit/context/context';
import { RPC_ERRORS, RpcError, textIn } from '../../endpoint/json-rpc.ts';
import type { RpcParams } from '../../endpoint/json-rpc.ts';
import type { UpstreamResult } from '../../endpoint/tool-result.ts';
import { resourceNotFound, saysNotFound, upstreamResult } from '../../endpoint/upstream-result.ts';
import { ownerOfResource, upstreamsOfResource } from '../../domain/merged-lists.ts';
import type { ClientChannel } from '../../ports/client-channel.ts';
import type { ActiveServer } from '../../ports/active-servers.ts';
import type { UpstreamAnswer } from '../../ports/upstreams.ts';
import { askUpstream } from './ask-upstream.ts';
import type { AskUpstreamDeps } from './ask-upstream.ts';
import { findOffering } from './find-offering.ts';
import type { FindOfferingDeps } from './find-offering.ts';

/**
 * The result of resources/read. Asks the upstream that lists the resource or has a template for it; without one, asks all upstreams with
 * resources in turn until one has it. RpcError for a missing resource, and for an error of the upstream.
 */
export async function readResource(
  deps: AskUpstreamDeps & FindOfferingDeps,
  ctx: RequestContext,
  { upstreams }: ActiveServer,
  params: RpcParams,
  channel: ClientChannel,
): Promise<UpstreamResult> {
  const uri = textIn(params, 'uri');
  if (uri === undefined) throw new RpcError(RPC_ERRORS.invalidParams, 'params.uri: must be a string');
  const owner = ownerOfResource(await findOffering(deps, ctx, upstreams, 'atOnce'), uri);
  const asked =
    owner === undefined
      ? upstreamsOfResource(await findOffering(deps, ctx, upstreams, 'known'), uri)
      : [owner];
  let failure: UpstreamAnswer | undefined;
  let refusal: string | undefined;
  for (const upstream of asked) {
    const answer = await askUpstream(deps, ctx, upstream, 'resources/read', { uri }, channel);
    if (saysNotFound(answer)) {
      refusal ??= answer.message;
      continue;
    }
    if (answer.kind === 'result') return upstreamResult(answer, channel.client);
    failure ??= answer;
  }
  // An upstream that could not answer may have it.
  if (failure !== undefined) return upstreamResult(failure, channel.client);
  throw resourceNotFound(uri, channel.client, refusal);
}
