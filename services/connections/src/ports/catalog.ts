import type { ConnectorHead } from '@fairlead/connector-model/model';
import type { ApplicationKind } from '@fairlead/connector-model/enumerations';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Page } from '@fairlead/service-kit/page';
import type { MethodKey } from './own-clients.ts';

/** The members of an application that people see. */
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
  /** The slots that the auth provider holds; undefined for the connector's own. */
  readonly heldSlots?: readonly string[];
}

/** The applications that the calling account sees. */
export interface Catalog {
  /** The head of an application, which calls need; NOT_FOUND if there is none with that slug. */
  getConnector(ctx: RequestContext, applicationSlug: string): Promise<ConnectorHead>;
  /**
   * One page of the applications of some kinds that have a method which needs no OAuth client but these, by name, or by
   * relevance with a search. Applications that need no connection, such as schedules, are left out.
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
  /** Stores an application that belongs to the account, replacing the one with that slug. Its tools are a JSON array in UTF-8. */
  putApplication(ctx: RequestContext, head: ConnectorHead, toolsJson: Uint8Array): Promise<void>;
  /** Removes an application that belongs to the account; succeeds if there is none. */
  deleteApplication(ctx: RequestContext, applicationSlug: string): Promise<void>;
}
