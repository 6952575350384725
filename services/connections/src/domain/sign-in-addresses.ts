import { createHash } from 'node:crypto';

/** Addresses of the gateway's pages that a browser visits during a sign-in. */
export interface SignInAddresses {
  /** The redirect URI registered at the vendors of the catalogue. */
  readonly redirectUri: string;
  /**
   * The redirect URI for one authorization server of MCP servers (RFC 9700, section 4.4.2.2): a response obtained from another server
   * arrives at another address.
   */
  redirectUriAt(issuer: string): string;
  /** The redirect URI with that last path component; empty: the one for vendors of the catalogue. */
  redirectUriWith(segment: string): string;
  /** Address of the document that describes Fairlead as a client; null if servers cannot reach this installation. */
  readonly clientDocument: { readonly url: string; readonly redirectUri: string } | null;
  /** The page that the person opens first. */
  signInUrl(state: string): string;
  /** The hosted page of a connect session. */
  connectUrl(token: string): string;
}

/** Creates the addresses below the installation's public URL. */
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
