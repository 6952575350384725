import type { DescMethod } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError } from '@connectrpc/connect';
import { ChannelError, unwrapChannelError } from './channel-error.ts';
import type { CallTrack } from './call-track.ts';
import type { EndpointBalancer } from './endpoint-balancer.ts';
import type { Endpoint } from './endpoint.ts';

/**
 * Makes a call at the address that the balancer picks, and at the next address if that is safe: the request was not
 * sent, or the proto declares `method` as repeatable (`idempotency_level`). If no address is left, they are looked up
 * again. `attempt` rejects with a ChannelError if no response arrived; any other rejection counts as a response.
 */
export async function callBalanced<C, R>(
  balancer: EndpointBalancer<C>,
  o: {
    readonly attempt: (endpoint: Endpoint<C>) => Promise<R>;
    readonly method: DescMethod;
    readonly signal: Pick<AbortSignal, 'aborted' | 'reason'>;
    /** Default: stable. */
    readonly track?: CallTrack | undefined;
  },
): Promise<R> {
  const track = o.track?.wanted;
  const tried = new Set<Endpoint<C>>();
  let failure: unknown;
  for (;;) {
    const endpoint = balancer.pick(tried, track) ?? (await balancer.pickRenewed(tried, track));
    if (o.signal.aborted) throw o.signal.reason;
    if (endpoint === undefined) throw unwrapChannelError(failure ?? noAddress());
    if (o.track !== undefined) o.track.served = endpoint.track;
    balancer.begin(endpoint);
    const answersBefore = endpoint.answers;
    try {
      return await o.attempt(endpoint);
    } catch (error) {
      if (o.signal.aborted) {
        // A cancellation by the caller is not the address's fault. Neither is a timeout while other calls get
        // responses; a process that hangs responds to none.
        if (isDeadline(o.signal.reason) && endpoint.answers === answersBefore) balancer.failed(endpoint);
        throw error;
      }
      if (!(error instanceof ChannelError)) {
        balancer.answered(endpoint);
        throw error;
      }
      balancer.failed(endpoint);
      if (error.wasSent && !isRepeatable(o.method)) throw unwrapChannelError(error);
      failure = error;
      tried.add(endpoint);
    } finally {
      balancer.end(endpoint);
    }
  }
}

function noAddress(): ChannelError {
  return new ChannelError(new Error('No address of the service is known.'), false);
}

function isDeadline(reason: unknown): boolean {
  return reason instanceof ConnectError && reason.code === Code.DeadlineExceeded;
}

function isRepeatable({ idempotency }: DescMethod): boolean {
  return idempotency !== MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN;
}
