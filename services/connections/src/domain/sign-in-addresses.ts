import { createHash } from 'node:crypto';

/** The gateway's pages that a browser passes through during a sign-in. */
export interface SignInAddresses {
  /** Registered at the vendors of the catalogue, which send the browser back to it. */
  readonly redirectUri: string;
  /**
   * The redirect URI for one authorization server of MCP servers (RFC 9700, section 4.4.2.2): a response that another server
   * was made to send arrives at another address.
   */
  redirectUriAt(issuer: string): string;
  /** The redirect URI whose last path component that is; empty: the one for vendors of the catalogue. */
  redirectUriWith(segment: string): string;
  /** Where Fairlead describes itself as a client; null if the installation has no address that servers could read. */
  readonly clientDocument: { readonly url: string; readonly redirectUri: string } | null;
  /** Where the person starts the sign-in. */
  signInUrl(state: string): string;
  /** The hosted page of a connect session. */
  connectUrl(token: string): string;
}

/** The sign-in pages under the installation's public URL. */
export function signInAddresses(publicUrl: string): SignInAddresses {
  const base = publicUrl.replace(/\/+$/, '');
  const redirectUri = `${base}/connect/callback`;
  const redirectUriWith = (segment: string): string =>
    segment === '' ? redirectUri : `${redirectUri}/${segment}`;
  return {
    redirectUri,
    redirectUriWith,
    redirectUriAt: (issuer) => redirectUriWith(createHash('sha256').update(issuer).digest('base64url')),
    clientDocument: base.startsWith('https:')
      ? { url: `${base}/connect/client.json`, redirectUri: redirectUriWith('client') }
      : null,
    connectUrl: (token) => `${base}/connect/session/${encodeURIComponent(token)}`,
    signInUrl: (state) => `${base}/connect/start/${encodeURIComponent(state)}`,
  };
}
