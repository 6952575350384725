import type { AdapterPayload } from 'oidc-provider';

/** What is kept of an artifact: the library's own record, and when it was used up. */
export interface Artifact {
  readonly payload: AdapterPayload;
  readonly consumedAt: Date | undefined;
}

/** Codes, refresh tokens, device codes, sessions and interactions; what their holders hold is stored by hash only. */
export interface ArtifactStore {
  /** Stores it, over what is there under that id; `accountId` tells whose it is. */
  put(o: {
    readonly kind: string;
    readonly id: string;
    readonly payload: AdapterPayload;
    readonly accountId: string | undefined;
    readonly lifetimeSeconds: number;
  }): Promise<void>;
  find(kind: string, id: string): Promise<Artifact | undefined>;
  findByUid(kind: string, uid: string): Promise<Artifact | undefined>;
  findByUserCode(kind: string, userCode: string): Promise<Artifact | undefined>;
  /** Uses it up. Gives when it was used up first: undefined where that was now, or where it does not exist. */
  consume(
    kind: string,
    id: string,
  ): Promise<{ readonly isFirst: boolean; readonly consumedAt: Date } | undefined>;
  remove(kind: string, id: string): Promise<void>;
  removeOfGrant(grantId: string): Promise<void>;
  /** What belongs to the account, to the user, or to the user in the account. */
  removeOf(owner: { readonly accountId?: string; readonly userId?: string }): Promise<void>;
}
