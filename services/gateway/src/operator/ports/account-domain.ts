import type { RequestContext } from '@fairlead/service-kit/context/context';

/** Records of one kind in an export of all of an account's data. */
export interface ExportedRecords {
  /** The kind of the records; records of one kind are consecutive. */
  readonly collection: string;
  /** JSON texts. */
  readonly records: readonly string[];
}

/** A part of the platform that stores data of accounts: a service, or a module of the gateway. */
export interface AccountDomain {
  /** For the log. */
  readonly name: string;
  /** Others call applications by what it stores, also while they are erased: it is erased after them. */
  readonly isUsedByOthers?: boolean;
  /** Everything it stores about the account, except secrets; each kind at least once, even without records. */
  read(ctx: RequestContext, accountId: string): AsyncIterable<ExportedRecords>;
  /** Erases a part of its data; true: nothing is left. Call it until then; it may be called again at any time. */
  erase(ctx: RequestContext, accountId: string): Promise<boolean>;
}
