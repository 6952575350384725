/** A person's identity, as an upstream provider states it. */
export interface UpstreamIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** The e-mail address in lower case; undefined if the provider has not verified it. */
  readonly verifiedEmail: string | undefined;
}
