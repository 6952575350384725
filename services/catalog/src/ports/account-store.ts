import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CataloguedApplication } from '../domain/application.ts';
import type { CheckedConnector } from './connector-reader.ts';

/** An application of an account as it was read from the store. */
export interface StoredApplication {
  readonly application: CataloguedApplication;
  readonly contentHash: string;
  /** Size of its JSON. */
  readonly sizeBytes: number;
}

/** The store of accounts' own applications. */
export interface AccountStore {
  /** Grows with every change of the account's applications; 0: it never had any. */
  revision(ctx: RequestContext, accountId: string): Promise<number>;
  /**
   * All applications of the account, at least as new as any revision read before. Applications of `known`, of the same
   * account, that have not changed are returned again: to read one costs milliseconds.
   */
  list(
    ctx: RequestContext,
    accountId: string,
    known: readonly StoredApplication[],
  ): Promise<readonly StoredApplication[]>;
  /**
   * Stores the application, replacing one with its slug; one with the same content stays unchanged. Returns its times. An import replaces
   * nothing: `taken` if the account has the slug, `full` if it has imported as many as it may.
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
