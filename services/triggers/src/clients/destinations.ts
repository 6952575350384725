import { DestinationService } from '@fairlead/contracts/delivery/v1/destination_service_pb';
import type { Clock } from '@fairlead/service-kit/clock';
import type { KeyRing } from '@fairlead/service-kit/key-ring';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcPeer } from '@fairlead/service-kit/rpc/peer';
import type { Destinations } from '../ports/destinations.ts';

/** The destinations of the delivery service. */
export function createDestinationsClient(o: {
  readonly peer: RpcPeer;
  readonly callerKeys: KeyRing;
  readonly clock: Clock;
}): Destinations {
  const destinations = createRpcClient(DestinationService, o);
  return {
    findExisting: async (ctx, ids) => (await destinations.findDestinations(ctx, { ids: [...ids] })).ids,
  };
}
