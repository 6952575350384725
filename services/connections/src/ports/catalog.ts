import type { Connector, ConnectorHead } from '@fairlead/connector-model/model';
import type { RequestContext } from '@fairlead/service-kit/context/context';

/** The applications that the calling account sees. */
export interface Catalog {
  /** What it takes to call an application; NOT_FOUND where there is none. */
  getConnector(ctx: RequestContext, applicationSlug: string): Promise<ConnectorHead>;
  /** Stores an application of the account's own, replacing the one of that slug. */
  putApplication(ctx: RequestContext, connector: Connector): Promise<void>;
  /** Removes an application of the account's own; one that is gone is no error. */
  deleteApplication(ctx: RequestContext, applicationSlug: string): Promise<void>;
}
