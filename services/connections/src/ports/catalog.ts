import type { ApplicationKind, Connector, ConnectorHead } from '@fairlead/connector-model/model';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Page } from '@fairlead/service-kit/page';
import type { MethodKey } from './own-clients.ts';

/** What people see of an application. */
export type ApplicationSummary = Pick<ConnectorHead, 'slug' | 'name' | 'description' | 'logoUrl'>;

/** One page of applications, and the number of matches over all pages. */
export interface ApplicationPage {
  readonly items: readonly ApplicationSummary[];
  readonly totalCount: number;
}

/** A method for which there is an OAuth client. */
export interface SignInClient extends MethodKey {
  /** The connector's own, which holds a client id and a client secret and nothing else. */
  readonly isOwn: boolean;
}

/** The applications that the calling account sees. */
export interface Catalog {
  /** What is needed to call an application; NOT_FOUND if there is none with that slug. */
  getConnector(ctx: RequestContext, applicationSlug: string): Promise<ConnectorHead>;
  /**
   * One page of the applications of some kinds that have a method which needs no OAuth client but these, by name, or by
   * relevance with a search.
   */
  listAvailable(
    ctx: RequestContext,
    o: {
      readonly page: Page;
      readonly kinds: readonly ApplicationKind[];
      /** Empty: no search. */
      readonly search: string;
      readonly clients: readonly SignInClient[];
    },
  ): Promise<ApplicationPage>;
  /** Stores an application that belongs to the account, replacing the one with that slug. */
  putApplication(ctx: RequestContext, connector: Connector): Promise<void>;
  /** Removes an application that belongs to the account; succeeds if there is none. */
  deleteApplication(ctx: RequestContext, applicationSlug: string): Promise<void>;
}
