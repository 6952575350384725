import type { ServiceImpl } from '@connectrpc/connect';
import type { AuthProviderService } from '@fairlead/contracts/connections/v1/auth_provider_service_pb';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import { readPage } from '@fairlead/service-kit/page';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { createAuthProvider } from '../use-cases/create-auth-provider.ts';
import { deleteAuthProvider } from '../use-cases/delete-auth-provider.ts';
import { getAuthProvider } from '../use-cases/get-auth-provider.ts';
import { getRedirectUri } from '../use-cases/get-redirect-uri.ts';
import { listAuthProviders } from '../use-cases/list-auth-providers.ts';
import { listUsableAuthProviders } from '../use-cases/list-usable-auth-providers.ts';
import { updateAuthProvider } from '../use-cases/update-auth-provider.ts';
import {
  fromCreateRequest,
  fromUpdateRequest,
  fromUsableRequest,
  toAuthProvider,
  toUsableAuthProvider,
} from './convert-auth-provider.ts';

/** AuthProviderService of proto/fairlead/connections/v1 over the use cases. */
export function createAuthProviderService(
  deps: DepsOf<
    | typeof listAuthProviders
    | typeof getAuthProvider
    | typeof createAuthProvider
    | typeof updateAuthProvider
    | typeof deleteAuthProvider
    | typeof listUsableAuthProviders
    | typeof getRedirectUri
  >,
): ServiceImpl<typeof AuthProviderService> {
  return {
    async listAuthProviders({ page }, h) {
      const { items, totalCount } = await listAuthProviders(deps, requestContext(h), readPage(page));
      return { items: items.map(toAuthProvider), totalCount };
    },
    async getAuthProvider({ id }, h) {
      return { authProvider: toAuthProvider(await getAuthProvider(deps, requestContext(h), id)) };
    },
    async createAuthProvider(request, h) {
      const created = await createAuthProvider(deps, requestContext(h), fromCreateRequest(request));
      return { authProvider: toAuthProvider(created) };
    },
    async updateAuthProvider(request, h) {
      const updated = await updateAuthProvider(deps, requestContext(h), fromUpdateRequest(request));
      return { authProvider: toAuthProvider(updated) };
    },
    async deleteAuthProvider({ id }, h) {
      await deleteAuthProvider(deps, requestContext(h), id);
      return {};
    },
    async listUsableAuthProviders(request, h) {
      const page = await listUsableAuthProviders(deps, requestContext(h), fromUsableRequest(request));
      return { items: page.items.map(toUsableAuthProvider), totalCount: page.totalCount };
    },
    async getRedirectUri({ applicationSlug }, h) {
      return { redirectUri: await getRedirectUri(deps, requestContext(h), applicationSlug) };
    },
  };
}
