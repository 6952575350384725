/** When the sign-ins of users were ended. */
export interface SignInEnds {
  /** The user's sign-ins until now are over. */
  note(owner: { readonly accountId: string; readonly userId: string }): Promise<void>;
  /** Whether what the user signed in to at `signedInAt`, in seconds since 1970, is over. */
  isOver(userId: string, signedInAt: number): Promise<boolean>;
  /** Forgets what is kept of an account, a user, or a user in an account. */
  removeOf(owner: { readonly accountId?: string; readonly userId?: string }): Promise<void>;
}
