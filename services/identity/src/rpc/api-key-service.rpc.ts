import type { ServiceImpl } from '@connectrpc/connect';
import type { ApiKeyService } from '@fairlead/contracts/identity/v1/api_key_service_pb';
import { readPage } from '@fairlead/service-kit/page';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import { createApiKey } from '../use-cases/create-api-key.ts';
import { endToolsetKeys } from '../use-cases/end-toolset-keys.ts';
import { listApiKeys } from '../use-cases/list-api-keys.ts';
import { revokeApiKey } from '../use-cases/revoke-api-key.ts';
import { fromCreateApiKeyRequest, toApiKey, toCreateApiKeyResponse } from './convert-api-key.ts';

/** ApiKeyService of proto/fairlead/identity/v1 over the use cases. */
export function createApiKeyService(
  deps: DepsOf<typeof listApiKeys | typeof createApiKey | typeof revokeApiKey | typeof endToolsetKeys>,
): ServiceImpl<typeof ApiKeyService> {
  return {
    async listApiKeys({ page }, h) {
      const { items, totalCount } = await listApiKeys(deps, requestContext(h), readPage(page));
      return { items: items.map(toApiKey), totalCount };
    },
    async createApiKey(request, h) {
      const key = fromCreateApiKeyRequest(request);
      return toCreateApiKeyResponse(await createApiKey(deps, requestContext(h), key));
    },
    async revokeApiKey({ id }, h) {
      await revokeApiKey(deps, requestContext(h), id);
      return {};
    },
    async endToolsetKeys({ toolsetId }, h) {
      await endToolsetKeys(deps, requestContext(h), toolsetId);
      return {};
    },
  };
}
