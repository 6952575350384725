import type { ConnectorHead, TriggerTypeDefinition } from '@fairlead/connector-model/model';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Candidate } from '../domain/target.ts';

/** A trigger type and its application. */
export interface TriggerType extends TriggerTypeDefinition {
  readonly applicationSlug: string;
}

/** The catalogue as the calling account sees it. */
export interface Catalog {
  /** At least one, sorted by application slug, or NOT_FOUND. An empty application slug means any. */
  resolveTool(ctx: RequestContext, toolSlug: string, applicationSlug: string): Promise<readonly Candidate[]>;
  /** How to call the application; NOT_FOUND if there is none. */
  getConnector(ctx: RequestContext, applicationSlug: string): Promise<ConnectorHead>;
}

/** The trigger types as the calling account sees them. */
export interface TriggerTypes {
  /** The trigger type with this slug, or NOT_FOUND. */
  resolveTriggerType(ctx: RequestContext, slug: string): Promise<TriggerType>;
}
