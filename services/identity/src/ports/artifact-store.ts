import type { AdapterPayload } from 'oidc-provider';

/** A stored artifact: the library's own record, and when it was consumed. */
export interface Artifact {
  readonly payload: AdapterPayload;
  readonly consumedAt: Date | undefined;
}

/** Codes, refresh tokens, device codes, sessions and interactions; the values that clients hold are stored only as hashes. */
export interface ArtifactStore {
  /** Stores it, replacing any artifact of that id; `accountId` is its owner. */
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
  /** Consumes it. Returns when it was first consumed; undefined if that is now, or if it does not exist. */
  consume(
    kind: string,
    id: string,
  ): Promise<{ readonly isFirst: boolean; readonly consumedAt: Date } | undefined>;
  remove(kind: string, id: string): Promise<void>;
  removeOfGrant(grantId: string): Promise<void>;
  /** The browser sessions, codes and tokens of the user. */
  removeOf(owner: { readonly accountId: string; readonly userId: string }): Promise<void>;
}
