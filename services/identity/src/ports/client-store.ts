import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CountedPage, Page } from '@fairlead/service-kit/page';
import type { AllClientMetadata } from 'oidc-provider';
import type { AuditEvent } from '../domain/audit-event.ts';
import type { OAuthClient } from '../domain/oauth-client.ts';
import type { User } from '../domain/records.ts';

/** The storage of accounts' clients. */
export interface AccountClientStore {
  list(ctx: RequestContext, accountId: string, page: Page): Promise<CountedPage<OAuthClient>>;
  /**
   * Inserts the client if `check` does not throw for its user, who is undefined if the account has no such user, and for
   * the number of clients that the account has; no concurrent change of the account's users or clients intervenes.
   */
  insert(
    ctx: RequestContext,
    client: OAuthClient,
    secretHash: string,
    check: (user: User | undefined, count: number) => void,
  ): Promise<void>;
  /**
   * Removes the client if `check` does not throw for its user; false if there is none. No concurrent change of the
   * account's users intervenes.
   */
  remove(
    ctx: RequestContext,
    accountId: string,
    clientId: string,
    check: (user: User | undefined) => void,
  ): Promise<boolean>;
}

/** The clients as the authorization server uses them, including self-registered ones. */
export interface ClientStore {
  findAccountClient(clientId: string): Promise<OAuthClient | undefined>;
  /** A client as the library knows it; its client_secret is the hash. */
  findMetadata(clientId: string): Promise<AllClientMetadata | undefined>;
  /** Stores the client, which `network` registered, and the event, or neither. */
  insertRegistered(
    clientId: string,
    metadata: AllClientMetadata,
    network: string,
    event: AuditEvent,
  ): Promise<void>;
  /**
   * Removes self-registered clients that were never granted anything, so that at most `most` remain: always the oldest of
   * the network that has most of them. Clients of the last ten minutes stay, for their first consent may be under
   * way; but at most `mostWithYoung` remain of all together.
   */
  trimUnused(most: number, mostWithYoung: number): Promise<void>;
  /** Keeps the client until then, when its latest grant ends. */
  noteGrant(clientId: string, until: Date): Promise<void>;
}
