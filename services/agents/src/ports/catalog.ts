import type { ConnectorHead } from '@fairlead/connector-model/model';
import type { RequestContext } from '@fairlead/service-kit/context/context';

/** The applications of on-prem agents. */
export interface Catalog {
  /** The slugs of all of them, in their order. */
  listSlugs(ctx: RequestContext): Promise<readonly string[]>;
  getConnector(ctx: RequestContext, applicationSlug: string): Promise<ConnectorHead>;
}
