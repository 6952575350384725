import type { AdapterPayload } from 'oidc-provider';

/** A stored artifact: the library's record, and when it was consumed. */
export interface Artifact {
  readonly payload: AdapterPayload;
  readonly consumedAt: Date | undefined;
}

/** Stores codes, refresh tokens, device codes, sessions and interactions. Values that clients hold are stored only as hashes. */
export interface ArtifactStore {
  /** Stores the artifact, replacing one with the same id; `accountId` is its owner. */
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
  /**
   * Consumes the artifact. Returns undefined if this call consumed it, or if it does not exist; otherwise the time of its first
   * consumption.
   */
  consume(
    kind: string,
    id: string,
  ): Promise<{ readonly isFirst: boolean; readonly consumedAt: Date } | undefined>;
  remove(kind: string, id: string): Promise<void>;
  removeOfGrant(grantId: string): Promise<void>;
  /** Removes the browser sessions, codes and tokens of the user. */
  removeOf(owner: { readonly accountId: string; readonly userId: string }): Promise<void>;
}
