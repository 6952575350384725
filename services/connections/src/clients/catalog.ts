import { createConnectorDecoder, encodeConnector } from '@fairlead/connector-model/codec';
import { KIND_VALUES } from '@fairlead/connector-model/proto-enums';
import { ApplicationService } from '@fairlead/contracts/catalog/v1/application_service_pb';
import { unconfined } from '@fairlead/service-kit/context/context';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import type { Catalog } from '../ports/catalog.ts';

/** A client of the catalog service. Nothing is cached, so a changed method applies to the next call. */
export function createCatalogClient(o: RpcClientOptions): Catalog {
  const applications = createRpcClient(ApplicationService, o);
  const decoder = createConnectorDecoder();
  return {
    async getConnector(ctx, applicationSlug) {
      const { encodedConnector } = await applications.getConnector(ctx, { applicationSlug });
      return decoder.head(encodedConnector);
    },
    async listAvailable(ctx, { page, kinds, search, clients }) {
      const { items, totalCount } = await applications.listApplications(ctx, {
        page,
        search,
        kinds: kinds.map((kind) => KIND_VALUES[kind]),
        available: true,
        omitConnectionless: true,
        signInClients: clients.map(({ heldSlots, ...same }) => ({
          ...same,
          ...(heldSlots !== undefined && { held: { slots: [...heldSlots] } }),
        })),
      });
      return {
        items: items.map(({ slug, name, description, logoUrl }) => ({
          slug,
          name,
          description,
          logoUrl: logoUrl ?? null,
        })),
        totalCount,
      };
    },
    async putApplication(ctx, head, toolsJson) {
      const encodedConnector = encodeConnector(head, toolsJson);
      // Written without the caller's restrictions: the tools belong to the account, whoever's call caused the reading.
      await applications.putAccountApplication(unconfined(ctx, 'connections'), { encodedConnector });
    },
    async deleteApplication(ctx, slug) {
      // Deleted without the caller's restrictions, like the writing above.
      await applications.deleteAccountApplication(unconfined(ctx, 'connections'), { slug });
    },
  };
}
