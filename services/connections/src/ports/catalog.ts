import type { ConnectorHead } from '@fairlead/connector-model/model';
import type { ApplicationKind } from '@fairlead/connector-model/enumerations';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Page } from '@fairlead/service-kit/page';
import type { MethodKey } from './own-clients.ts';

/** The displayed members of an application. */
export type ApplicationSummary = Pick<ConnectorHead, 'slug' | 'name' | 'description' | 'logoUrl'>;

/** One page of applications, and the total number of matches. */
export interface ApplicationPage {
  readonly items: readonly ApplicationSummary[];
  readonly totalCount: number;
}

/** A method with an OAuth client. */
export interface SignInClient extends MethodKey {
  /** True for the connector's own client, which has only a client id and a client secret. */
  readonly isOwn: boolean;
  /** Slots with values in the auth provider; undefined for the connector's own client. */
  readonly heldSlots?: readonly string[];
}

/** Applications that the calling account sees. */
export interface Catalog {
  /** The head of an application, for calls; NOT_FOUND if there is none with that slug. */
  getConnector(ctx: RequestContext, applicationSlug: string): Promise<ConnectorHead>;
  /**
   * One page of applications of the given kinds that can be connected without an OAuth client, or with one of these; by name, or by
   * relevance with a search. Applications that need no connection, such as schedules, are omitted.
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
  /** Stores an application of the account, replacing one with the same slug. Its tools are a JSON array in UTF-8. */
  putApplication(ctx: RequestContext, head: ConnectorHead, toolsJson: Uint8Array): Promise<void>;
  /** Removes an application of the account; succeeds if there is none. */
  deleteApplication(ctx: RequestContext, applicationSlug: string): Promise<void>;
}
