import { DestinationService } from '@fairlead/contracts/delivery/v1/destination_service_pb';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import type { Destinations } from '../ports/destinations.ts';

/** Client of the delivery service's destinations. */
export function createDestinationsClient(o: RpcClientOptions): Destinations {
  const destinations = createRpcClient(DestinationService, o);
  return {
    findExisting: async (ctx, ids) => (await destinations.findDestinations(ctx, { ids: [...ids] })).ids,
  };
}
