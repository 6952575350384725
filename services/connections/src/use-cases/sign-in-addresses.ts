/** The pages of the gateway that a browser passes during a sign-in. */
export interface SignInAddresses {
  /** Registered at vendors; where they send the browser back to. */
  readonly redirectUri: string;
  /** Where the person starts. */
  signInUrl(state: string): string;
}
