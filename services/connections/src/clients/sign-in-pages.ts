import type { SignInAddresses } from '../use-cases/sign-in-addresses.ts';

/** The gateway's sign-in pages below the installation's public URL. */
export function signInPages(publicUrl: string): SignInAddresses {
  const base = publicUrl.replace(/\/+$/, '');
  return {
    redirectUri: `${base}/connect/callback`,
    signInUrl: (state) => `${base}/connect/start/${encodeURIComponent(state)}`,
  };
}
