import type { ConnectorHead } from '@fairlead/connector-model/model';
import type { RequestContext } from '@fairlead/service-kit/context/context';

/** The applications of on-prem agents, in the catalogue. */
export interface Catalog {
  /** Slugs of all on-prem applications, in order. */
  listSlugs(ctx: RequestContext): Promise<readonly string[]>;
  getConnector(ctx: RequestContext, applicationSlug: string): Promise<ConnectorHead>;
}
