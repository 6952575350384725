import type { TestAccount } from './own-accounts.ts';

/** A record of an account. */
export interface TestRecord {
  readonly id: string | number;
  /** The current record, as its own account sees it; requests of others must not change it. */
  read(): Promise<unknown>;
}

/** A kind of record that requests can name. */
export interface RecordKind {
  /** Creates a record in an account. */
  create(account: TestAccount): Promise<TestRecord>;
  /** A well-formed id without a record. */
  readonly unknown: string | number;
  /** Another kind to which the records also belong; their ids are not foreign there. */
  readonly isA?: string;
  /** The id is a secret: it is not sent to places of other kinds, whose refusals may repeat it. */
  readonly isSecret?: true;
  /** The refusal of another account's record, if it is not 404 NOT_FOUND. */
  readonly refusal?: { readonly status: number; readonly errorCode: string };
  /** Operations that need more of the account's own data than a record: what to use instead of `make`. */
  readonly own?: Readonly<Record<string, (account: TestAccount) => Promise<TestRecord>>>;
  /** Operations in which the same name means another kind of record: a well-formed id of that kind without a record. */
  readonly unknownIn?: Readonly<Record<string, string | number>>;
}
