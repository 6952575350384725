import type { JsonObject } from '@bufbuild/protobuf';
import type { ConnectorHead } from '@fairlead/connector-model/model';
import { ApplicationService } from '@fairlead/contracts/catalog/v1/application_service_pb';
import type { Clock } from '@fairlead/service-kit/clock';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcPeer } from '@fairlead/service-kit/rpc/peer';
import type { Secret } from '@fairlead/service-kit/secret';
import type { Catalog } from '../ports/catalog.ts';

/** The catalog service as connections see it. Nothing is cached: a method that changed holds for the next call. */
export function createCatalogClient(o: {
  readonly peer: RpcPeer;
  readonly callerKey: Secret;
  readonly clock: Clock;
}): Catalog {
  const applications = createRpcClient(ApplicationService, o);
  return {
    async getConnector(ctx, applicationSlug) {
      const { connector } = await applications.getConnector(ctx, { applicationSlug });
      if (!connector) throw new TypeError('The catalog answered no connector.');
      // The catalogue checked it against the model when it took it in; checking again would be a second owner.
      return connector as unknown as ConnectorHead;
    },
    async putApplication(ctx, connector) {
      // A connector is JSON throughout; protobuf's type of it merely is not readonly.
      await applications.putAccountApplication(ctx, { connector: connector as unknown as JsonObject });
    },
    async deleteApplication(ctx, slug) {
      await applications.deleteAccountApplication(ctx, { slug });
    },
  };
}
