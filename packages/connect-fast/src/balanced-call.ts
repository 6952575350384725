import type { DescMethod } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import { ChannelError, unwrapChannelError } from './channel-error.ts';
import type { Endpoint, EndpointBalancer } from './endpoint-balancer.ts';

/**
 * Makes one call at the address that the balancer picks, and at the next one when that is safe: the request was not
 * sent, or the proto says that a second run of `method` does no harm (`idempotency_level`). `attempt` rejects with a
 * ChannelError when no answer came; every other rejection is an answer.
 */
export async function callBalanced<C, R>(
  balancer: EndpointBalancer<C>,
  o: {
    readonly attempt: (endpoint: Endpoint<C>) => Promise<R>;
    readonly method: DescMethod;
    readonly signal: AbortSignal;
  },
): Promise<R> {
  const tried = new Set<Endpoint<C>>();
  let failure: unknown;
  for (;;) {
    const endpoint = balancer.pick(tried);
    if (endpoint === undefined) throw unwrapChannelError(failure);
    endpoint.inFlight += 1;
    try {
      return await o.attempt(endpoint);
    } catch (error) {
      // A caller who gave up says nothing about the address.
      if (o.signal.aborted) throw error;
      if (!(error instanceof ChannelError)) {
        balancer.answered(endpoint);
        throw error;
      }
      balancer.failed(endpoint);
      if (error.wasSent && !isRepeatable(o.method)) throw unwrapChannelError(error);
      failure = error;
      tried.add(endpoint);
    } finally {
      endpoint.inFlight -= 1;
    }
  }
}

function isRepeatable({ idempotency }: DescMethod): boolean {
  return idempotency !== MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN;
}
