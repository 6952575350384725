import type { RequestContext } from '@fairlead/service-kit/context/context';

/** Records of one kind in an export of all of an account's data. */
export interface ExportedRecords {
  /** The kind of the records; pages of one kind are consecutive. */
  readonly collection: string;
  /** JSON texts. */
  readonly records: readonly string[];
}

/** A part of the platform that stores data of accounts: a service, or a module of the gateway. */
export interface AccountDomain {
  /** Name for the log. */
  readonly name: string;
  /** True: other domains need its data to call applications while they are erased, so it is erased after them. */
  readonly isUsedByOthers?: boolean;
  /** All data about the account except secrets; each kind at least once, even without records. */
  read(ctx: RequestContext, accountId: string): AsyncIterable<ExportedRecords>;
  /** Erases some of the account's data; true: nothing is left. Call it until it returns true; it may be called again at any time. */
  erase(ctx: RequestContext, accountId: string): Promise<boolean>;
}
