import type { ServiceImpl } from '@connectrpc/connect';
import type { OAuthClientService } from '@fairlead/contracts/identity/v1/oauth_client_service_pb';
import { readPage } from '@fairlead/service-kit/page';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import { createOAuthClient } from '../use-cases/create-oauth-client.ts';
import { deleteOAuthClient } from '../use-cases/delete-oauth-client.ts';
import { listOAuthClients } from '../use-cases/list-oauth-clients.ts';
import { fromCreateOAuthClientRequest, toOAuthClient } from './convert-oauth-client.ts';

/** OAuthClientService of proto/fairlead/identity/v1 over the use cases. */
export function createOAuthClientService(
  deps: DepsOf<typeof listOAuthClients | typeof createOAuthClient | typeof deleteOAuthClient>,
): ServiceImpl<typeof OAuthClientService> {
  return {
    async listOAuthClients({ page }, h) {
      const { items, totalCount } = await listOAuthClients(deps, requestContext(h), readPage(page));
      return { items: items.map(toOAuthClient), totalCount };
    },
    async createOAuthClient(request, h) {
      const sent = fromCreateOAuthClientRequest(request);
      const { client, clientSecret } = await createOAuthClient(deps, requestContext(h), sent);
      return { client: toOAuthClient(client), clientSecret: clientSecret.reveal() };
    },
    async deleteOAuthClient({ id }, h) {
      await deleteOAuthClient(deps, requestContext(h), id);
      return {};
    },
  };
}
