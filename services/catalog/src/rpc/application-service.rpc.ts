import type { ServiceImpl } from '@connectrpc/connect';
import { encodeConnectorHead } from '@fairlead/connector-model/codec';
import type { ApplicationService } from '@fairlead/contracts/catalog/v1/application_service_pb';
import { readPage } from '@fairlead/service-kit/page';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import { deleteAccountApplication } from '../use-cases/delete-account-application.ts';
import { getApplication } from '../use-cases/get-application.ts';
import { listAuthProviderSources } from '../use-cases/list-auth-provider-sources.ts';
import { listApplications } from '../use-cases/list-applications.ts';
import { putAccountApplication } from '../use-cases/put-account-application.ts';
import {
  fromListApplicationsRequest,
  fromSignInClients,
  toApplication,
  toApplicationDetail,
  toAuthProviderSource,
  toPutApplication,
} from './convert-application.ts';

/** ApplicationService of proto/fairlead/catalog/v1 over the use cases. */
export function createApplicationService(
  deps: DepsOf<
    | typeof listApplications
    | typeof getApplication
    | typeof putAccountApplication
    | typeof deleteAccountApplication
  >,
): ServiceImpl<typeof ApplicationService> {
  return {
    async listApplications(request, h) {
      const query = fromListApplicationsRequest(request);
      const { items, totalCount } = await listApplications(deps, requestContext(h), query);
      return { items: items.map(toApplication), totalCount };
    },
    async getApplication({ slug, signInClients, isOwn }, h) {
      const clients = fromSignInClients(signInClients);
      const view = await getApplication(deps, requestContext(h), slug, clients, isOwn);
      return { application: toApplicationDetail(view) };
    },
    async listAuthProviderSources({ page }, h) {
      const sources = await listAuthProviderSources(deps, requestContext(h), readPage(page));
      return { items: sources.items.map(toAuthProviderSource), totalCount: sources.totalCount };
    },
    async getConnector({ applicationSlug }, h) {
      const { application } = await getApplication(deps, requestContext(h), applicationSlug, []);
      return { encodedConnector: encodeConnectorHead(application.connector) };
    },
    async putAccountApplication({ encodedConnector, isImport }, h) {
      const stored = await putAccountApplication(deps, requestContext(h), encodedConnector, { isImport });
      return { application: toPutApplication(stored) };
    },
    async deleteAccountApplication({ slug }, h) {
      await deleteAccountApplication(deps, requestContext(h), slug);
      return {};
    },
  };
}
