/** The gateway's pages that a browser passes through during a sign-in. */
export interface SignInAddresses {
  /** Registered at vendors, which send the browser back to it. */
  readonly redirectUri: string;
  /** Where Fairlead describes itself as a client; null if the installation has no address that servers could read. */
  readonly clientDocumentUrl: string | null;
  /** Where the person starts the sign-in. */
  signInUrl(state: string): string;
  /** The hosted page of a connect session. */
  connectUrl(token: string): string;
}

/** The sign-in pages under the installation's public URL. */
export function signInAddresses(publicUrl: string): SignInAddresses {
  const base = publicUrl.replace(/\/+$/, '');
  return {
    redirectUri: `${base}/connect/callback`,
    clientDocumentUrl: base.startsWith('https:') ? `${base}/connect/client.json` : null,
    connectUrl: (token) => `${base}/connect/session/${encodeURIComponent(token)}`,
    signInUrl: (state) => `${base}/connect/start/${encodeURIComponent(state)}`,
  };
}
