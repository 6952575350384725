import type { ConnectorHead } from '@fairlead/connector-model/model';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Candidate } from '../domain/target.ts';

/** The catalogue as the calling account sees it. */
export interface Catalog {
  /** At least one, by application slug, or NOT_FOUND. An empty application slug means any. */
  resolveTool(ctx: RequestContext, toolSlug: string, applicationSlug: string): Promise<readonly Candidate[]>;
  /** How to call the application, or NOT_FOUND. */
  getConnector(ctx: RequestContext, applicationSlug: string): Promise<ConnectorHead>;
}
