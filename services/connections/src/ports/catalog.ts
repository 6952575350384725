import type { Connector, ConnectorHead } from '@fairlead/connector-model/model';
import type { RequestContext } from '@fairlead/service-kit/context/context';

/** The applications that the calling account sees. */
export interface Catalog {
  /** What is needed to call an application; NOT_FOUND if there is none with that slug. */
  getConnector(ctx: RequestContext, applicationSlug: string): Promise<ConnectorHead>;
  /** Stores an application that belongs to the account, replacing the one with that slug. */
  putApplication(ctx: RequestContext, connector: Connector): Promise<void>;
  /** Removes an application that belongs to the account; succeeds if there is none. */
  deleteApplication(ctx: RequestContext, applicationSlug: string): Promise<void>;
}
