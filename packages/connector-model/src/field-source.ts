/** What the vendor of an OAuth method sends back that later requests need, and where. */
type CaptureSource =
  /** A query parameter of the redirect that ends the sign-in, such as `realmId` of QuickBooks. */
  | { readonly type: 'callback'; readonly parameter: string }
  /** A member of the token response, by JSON pointer, such as `/instance_url` of Salesforce. */
  | { readonly type: 'tokenResponse'; readonly pointer: string };

/** What a field declares about where its value comes from, besides auth providers and options, and which are valid. */
export interface FieldSource {
  /** The caller gives it when the sign-in starts, because the vendor's addresses need it (a tenant's subdomain). */
  readonly atSignIn: boolean;
  /** The vendor sends it; callers never set it. Null: it does not. */
  readonly capturedFrom: CaptureSource | null;
  /** A regular expression that the whole of a text value matches; null: any text. */
  readonly pattern: string | null;
  /**
   * The hosts that a value, an http(s) URL or a host name, may have: `api.acme.com` that host, `.acme.com` every host
   * below it, `*` any. Empty: the value names no host.
   */
  readonly allowedHosts: readonly string[];
}
