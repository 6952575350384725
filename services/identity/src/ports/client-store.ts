import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CountedPage, Page } from '@fairlead/service-kit/page';
import type { AllClientMetadata } from 'oidc-provider';
import type { AuditEvent } from '../domain/audit-event.ts';
import type { OAuthClient } from '../domain/oauth-client.ts';
import type { User } from '../domain/records.ts';

/** Stores the OAuth clients of accounts. */
export interface AccountClientStore {
  list(ctx: RequestContext, accountId: string, page: Page): Promise<CountedPage<OAuthClient>>;
  /**
   * Inserts the client unless `check` throws. `check` gets the client's user (undefined if the account has no such user) and the number of
   * the account's clients. No concurrent change of the account's users or clients intervenes.
   */
  insert(
    ctx: RequestContext,
    client: OAuthClient,
    secretHash: string,
    check: (user: User | undefined, count: number) => void,
  ): Promise<void>;
  /**
   * Removes the client unless `check` throws for its user; false if there is no such client. No concurrent change of the account's users
   * intervenes.
   */
  remove(
    ctx: RequestContext,
    accountId: string,
    clientId: string,
    check: (user: User | undefined) => void,
  ): Promise<boolean>;
}

/** The clients as the authorization server uses them, self-registered ones included. */
export interface ClientStore {
  findAccountClient(clientId: string): Promise<OAuthClient | undefined>;
  /** A client in the library's form; its client_secret is the hash. */
  findMetadata(clientId: string): Promise<AllClientMetadata | undefined>;
  /** Stores both the client, which `network` registered, and the event, or neither. */
  insertRegistered(
    clientId: string,
    metadata: AllClientMetadata,
    network: string,
    event: AuditEvent,
  ): Promise<void>;
  /**
   * Removes self-registered clients that were never granted anything until at most `most` remain, always the oldest one of the network with
   * the most. Clients of the last ten minutes stay, because a person may still be about to consent; with them, at most `mostWithYoung`
   * remain.
   */
  trimUnused(most: number, mostWithYoung: number): Promise<void>;
  /** Keeps the client until its latest grant ends. */
  noteGrant(clientId: string, until: Date): Promise<void>;
}
