import { ApplicationService } from '@fairlead/contracts/catalog/v1/application_service_pb';
import type { Application } from '@fairlead/contracts/catalog/v1/application_pb';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import type { ImportedApplications } from '../ports/imports.ts';

/** A client of the catalog for imported applications. */
export function createImportedApplicationsClient(o: RpcClientOptions): ImportedApplications<Application> {
  const applications = createRpcClient(ApplicationService, o);
  return {
    async add(ctx, encodedConnector) {
      const { application } = await applications.putAccountApplication(ctx, {
        encodedConnector,
        isImport: true,
      });
      if (application === undefined) throw new Error('The catalog returned no application.');
      return application;
    },
  };
}
