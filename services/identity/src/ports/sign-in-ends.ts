/** Stores when all sign-ins of a user were ended. */
export interface SignInEnds {
  /** Ends all sign-ins of the user up to now. */
  note(owner: { readonly accountId: string; readonly userId: string }): Promise<void>;
  /** Whether the user's sign-in at `signedInAt` (seconds since 1970) has ended. */
  isOver(userId: string, signedInAt: number): Promise<boolean>;
}
