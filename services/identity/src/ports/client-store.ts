import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Page } from '@fairlead/service-kit/page';
import type { AllClientMetadata } from 'oidc-provider';
import type { Listed } from './account-store.ts';
import type { OAuthClient } from '../domain/oauth-client.ts';

/** The storage of accounts' clients. */
export interface AccountClientStore {
  list(ctx: RequestContext, accountId: string, page: Page): Promise<Listed<OAuthClient>>;
  count(ctx: RequestContext, accountId: string): Promise<number>;
  insert(ctx: RequestContext, client: OAuthClient, secretHash: string): Promise<void>;
  /** Gives whether there was one. */
  remove(ctx: RequestContext, accountId: string, clientId: string): Promise<boolean>;
  findAccountClient(clientId: string): Promise<OAuthClient | undefined>;
}

/** The storage of all clients, including self-registered ones. */
export interface ClientStore extends AccountClientStore {
  /** A client as the library knows it; its client_secret is the hash. */
  findMetadata(clientId: string): Promise<AllClientMetadata | undefined>;
  insertRegistered(clientId: string, metadata: AllClientMetadata): Promise<void>;
  countUnused(): Promise<number>;
  /** Keeps the client until then, when its latest grant ends. */
  noteGrant(clientId: string, until: Date): Promise<void>;
  /** Removes the clients of an account, or that act as a user. Gives their ids. */
  removeOf(owner: { readonly accountId?: string; readonly userId?: string }): Promise<readonly string[]>;
}
