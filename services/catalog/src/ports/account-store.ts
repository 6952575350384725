import type { Connector } from '@fairlead/connector-model/model';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CataloguedApplication } from '../domain/application.ts';

/** All applications of an account, and their size as JSON. */
export interface StoredShelf {
  readonly applications: readonly CataloguedApplication[];
  readonly sizeBytes: number;
}

/** The store of accounts' own applications. */
export interface AccountStore {
  /** Grows with every change of the account's applications; 0: it never had any. */
  revision(ctx: RequestContext, accountId: string): Promise<number>;
  /** All applications of the account, at least as new as any revision read before. */
  list(ctx: RequestContext, accountId: string): Promise<StoredShelf>;
  /** Stores the application, replacing one with its slug; one with the same content stays unchanged, with its times. */
  put(
    ctx: RequestContext,
    accountId: string,
    connector: Connector,
    contentHash: string,
    now: Date,
  ): Promise<CataloguedApplication>;
  /** Removes the application if it exists. */
  remove(ctx: RequestContext, accountId: string, slug: string): Promise<void>;
}
