import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CataloguedApplication } from '../domain/application.ts';
import type { CheckedConnector } from './connector-reader.ts';

/** An application of an account, as read from the store. */
export interface StoredApplication {
  readonly application: CataloguedApplication;
  readonly contentHash: string;
  /** Size of its JSON. */
  readonly sizeBytes: number;
}

/** The store of accounts' own applications. */
export interface AccountStore {
  /** Increases with every change of the account's applications; 0: it never had any. */
  revision(ctx: RequestContext, accountId: string): Promise<number>;
  /**
   * All applications of the account, at least as new as any revision read before. Returns the objects in `known` (of the same account)
   * again where they are unchanged, because reading one costs milliseconds.
   */
  list(
    ctx: RequestContext,
    accountId: string,
    known: readonly StoredApplication[],
  ): Promise<readonly StoredApplication[]>;
  /**
   * Stores the application, replacing one with the same slug; identical content stays unchanged. Returns its times. An import never
   * replaces: `taken` if the account has the slug, `full` if it has the maximum number of imports.
   */
  put(
    ctx: RequestContext,
    accountId: string,
    connector: CheckedConnector,
    now: Date,
    o?: { readonly isImport: boolean },
  ): Promise<Pick<CataloguedApplication, 'createdAt' | 'updatedAt'> | 'taken' | 'full'>;
  /** Removes the application if it exists. */
  remove(ctx: RequestContext, accountId: string, slug: string): Promise<void>;
}
