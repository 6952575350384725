import type { RequestContext } from '@fairlead/service-kit/context/context';
import { objectSlices } from '@fairlead/service-kit/json/json-slices';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { LazyValue } from '@fairlead/service-kit/json/lazy-json';
import { RPC_ERRORS, RpcError, textIn } from '../../endpoint/json-rpc.ts';
import type { RpcParams } from '../../endpoint/json-rpc.ts';
import { upstreamResult } from '../../endpoint/upstream-result.ts';
import { upstreamsOfResource } from '../../domain/merged-lists.ts';
import type { OfferingUpstream } from '../../domain/merged-lists.ts';
import type { Upstream } from '../../domain/upstream-lists.ts';
import type { ClientChannel } from '../../ports/client-channel.ts';
import type { ActiveServer } from '../../ports/active-servers.ts';
import { askUpstream } from './ask-upstream.ts';
import type { AskUpstreamDeps } from './ask-upstream.ts';
import { findOffering } from './find-offering.ts';
import type { FindOfferingDeps } from './find-offering.ts';
import { findPrompt } from './find-prompt.ts';

const NO_VALUES = { completion: { values: [], total: 0, hasMore: false } };

/** An upstream, and the reference with the upstream's own name. */
interface Reference {
  readonly upstream: Upstream;
  readonly ref: LazyValue;
}

/**
 * The result of completion/complete; without values if the upstream does not support completion. RpcError for an unknown reference, and for
 * an error of the upstream.
 */
export async function completeArgument(
  deps: AskUpstreamDeps & FindOfferingDeps,
  ctx: RequestContext,
  { upstreams }: ActiveServer,
  params: RpcParams,
  channel: ClientChannel,
): Promise<Readonly<Record<string, LazyValue>>> {
  const ref = objectSlices(params.get('ref') ?? Buffer.from('null'));
  if (ref === undefined) throw new RpcError(RPC_ERRORS.invalidParams, 'params.ref: must be an object');
  const offering = await findOffering(deps, ctx, upstreams, 'known');
  const found = await findReference(deps, ctx, upstreams, { ref, offering });
  if (found === undefined)
    throw new RpcError(RPC_ERRORS.invalidParams, 'params.ref: names no prompt or resource template');
  const { upstream } = found;
  const lists = offering.find((it) => it.upstream.connectionId === upstream.connectionId)?.lists;
  if (lists?.hasCompletions === false) return NO_VALUES;
  const others = ['argument', 'context'].flatMap((name) => {
    const bytes = params.get(name);
    return bytes === undefined ? [] : [[name, new LazyJson(bytes)] as const];
  });
  const sent = { ref: found.ref, ...Object.fromEntries(others) };
  return upstreamResult(
    await askUpstream(deps, ctx, upstream, 'completion/complete', sent, channel),
    channel.client,
  );
}

async function findReference(
  deps: FindOfferingDeps,
  ctx: RequestContext,
  upstreams: readonly Upstream[],
  { ref, offering }: { readonly ref: RpcParams; readonly offering: readonly OfferingUpstream[] },
): Promise<Reference | undefined> {
  const [name, uri] = [textIn(ref, 'name'), textIn(ref, 'uri')];
  if (textIn(ref, 'type') === 'ref/prompt' && name !== undefined) {
    const prompt = await findPrompt(deps, ctx, upstreams, name);
    return prompt && { upstream: prompt.upstream, ref: { type: 'ref/prompt', name: prompt.upstreamName } };
  }
  if (textIn(ref, 'type') !== 'ref/resource' || uri === undefined) return undefined;
  const owner = offering.find(({ lists }) => lists.templates.some(({ key }) => key === uri));
  const upstream = owner?.upstream ?? upstreamsOfResource(offering, uri)[0];
  return upstream && { upstream, ref: { type: 'ref/resource', uri } };
}
