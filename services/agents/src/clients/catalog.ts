import { createConnectorDecoder } from '@fairlead/connector-model/codec';
import { KIND_VALUES } from '@fairlead/connector-model/proto-enums';
import { ApplicationService } from '@fairlead/contracts/catalog/v1/application_service_pb';
import { MAX_TOP } from '@fairlead/service-kit/page';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import type { Catalog } from '../ports/catalog.ts';

/** Client of the catalog service. */
export function createCatalogClient(o: RpcClientOptions): Catalog {
  const applications = createRpcClient(ApplicationService, o);
  const decoder = createConnectorDecoder();
  return {
    async listSlugs(ctx) {
      const slugs: string[] = [];
      for (let offset = 0; ; offset += MAX_TOP) {
        const page = { offset, top: MAX_TOP };
        const { items, totalCount } = await applications.listApplications(ctx, {
          page,
          kind: KIND_VALUES.OPA,
        });
        slugs.push(...items.map(({ slug }) => slug));
        if (offset + MAX_TOP >= totalCount) return slugs;
      }
    },
    async getConnector(ctx, applicationSlug) {
      const { encodedConnector } = await applications.getConnector(ctx, { applicationSlug });
      return decoder.head(encodedConnector);
    },
  };
}
