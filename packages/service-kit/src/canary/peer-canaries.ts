import type { CanaryAddresses } from '@fairlead/connect-fast/endpoint-balancer';
import type { Track } from '@fairlead/connect-fast/endpoint';
import type { RequestContext } from '../context/context.ts';
import type { Canaries } from './canaries.ts';
import { canaryFallbacks } from './metrics.ts';

/** The track of one request. */
export interface TrackChoice {
  /** Names of the services whose canary serves the request, for the service that is called. */
  readonly canaries: readonly string[] | undefined;
  readonly track: Track;
}

/** The canary of another service, for its callers. */
export interface PeerCanaries extends CanaryAddresses {
  /**
   * The context's choice, or else one by the caller's account; without an account, the choice is left to the next
   * service, which may know it. A canary that is closed by now gets no request, whatever was chosen.
   */
  choose(ctx: Pick<RequestContext, 'canaries' | 'caller'>): TrackChoice;
}

/** The canary of `service` at `addresses`. */
export function createPeerCanaries(
  service: string,
  addresses: CanaryAddresses['addresses'],
  canaries: Canaries,
): PeerCanaries {
  return {
    addresses,
    onFallback: () => canaryFallbacks.series(service).add(),
    choose({ canaries: names, caller }) {
      const chosen = names ?? ('accountId' in caller ? canaries.choose(caller) : undefined);
      const isCanary = chosen?.includes(service) === true && canaries.current().get(service)?.isOpen === true;
      return { canaries: chosen, track: isCanary ? 'canary' : 'stable' };
    },
  };
}

/** The track of a request. If this process uses no canaries, it is stable, and the caller's choice is passed on. */
export function chooseTrack(
  canaries: PeerCanaries | undefined,
  ctx: Pick<RequestContext, 'canaries' | 'caller'>,
): TrackChoice {
  return canaries?.choose(ctx) ?? { canaries: ctx.canaries, track: 'stable' };
}
