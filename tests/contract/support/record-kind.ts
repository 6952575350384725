import type { TestAccount } from './own-accounts.ts';

/** A record of an account. */
export interface Made {
  readonly id: string | number;
  /** The record as its own account sees it now; it must not change when others name it. */
  read(): Promise<unknown>;
}

/** A kind of record that requests name. */
export interface RecordKind {
  /** Creates one in an account. */
  make(account: TestAccount): Promise<Made>;
  /** An id of its form that no record has. */
  readonly unknown: string | number;
  /** It is a record of that kind, too: its id is none of another kind there. */
  readonly isA?: string;
  /** The id is a secret: it is sent to no place of another kind, whose refusal may repeat it. */
  readonly isSecret?: true;
  /** How a record that is not the caller's is refused, if not with 404 NOT_FOUND. */
  readonly refusal?: { readonly status: number; readonly errorCode: string };
  /** Operations that need more of the account's own than any record: what stands in for `make` there. */
  readonly own?: Readonly<Record<string, (account: TestAccount) => Promise<Made>>>;
  /** Operations that name another kind of record so: an id of that one's form that no record has. */
  readonly unknownIn?: Readonly<Record<string, string | number>>;
}
