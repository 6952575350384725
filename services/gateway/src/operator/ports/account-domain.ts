import type { RequestContext } from '@fairlead/service-kit/context/context';

/** Records of one kind on their way to whoever asked for all of an account's data. */
export interface ExportedRecords {
  /** What they are; the records of one kind follow each other. */
  readonly collection: string;
  /** JSON texts. */
  readonly records: readonly string[];
}

/** A part of the platform that keeps data of accounts: a service, or a module of the gateway. */
export interface AccountDomain {
  /** For the log. */
  readonly name: string;
  /** Everything it keeps of the account, but secrets; each kind at least once, also where there is none of it. */
  read(ctx: RequestContext, accountId: string): AsyncIterable<ExportedRecords>;
  /** Erases a part of what it keeps; true: nothing is left. To be called until then, and again at any time. */
  erase(ctx: RequestContext, accountId: string): Promise<boolean>;
}
