/** When the sign-ins of users were ended. */
export interface SignInEnds {
  /** Ends the user's sign-ins until now. */
  note(owner: { readonly accountId: string; readonly userId: string }): Promise<void>;
  /** Whether the user's sign-in at `signedInAt`, in seconds since 1970, has ended. */
  isOver(userId: string, signedInAt: number): Promise<boolean>;
}
