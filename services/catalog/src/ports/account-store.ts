import type { Connector } from '@fairlead/connector-model/model';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CataloguedApplication } from '../domain/application.ts';

/** Everything an account has, and how large it is as JSON. */
export interface StoredShelf {
  readonly applications: readonly CataloguedApplication[];
  readonly sizeBytes: number;
}

/** Where accounts' own applications are kept. */
export interface AccountStore {
  /** Grows with every change of the account's applications; 0: it never had any. */
  revision(ctx: RequestContext, accountId: string): Promise<number>;
  /** All of them, at least as new as any revision read before. */
  list(ctx: RequestContext, accountId: string): Promise<StoredShelf>;
  /** Stores the application, replacing one of its slug; one of the same content stays as it is, its times too. */
  put(
    ctx: RequestContext,
    accountId: string,
    connector: Connector,
    contentHash: string,
    now: Date,
  ): Promise<CataloguedApplication>;
  /** Removes it if it is there. */
  remove(ctx: RequestContext, accountId: string, slug: string): Promise<void>;
}
