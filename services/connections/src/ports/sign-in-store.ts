import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Tokens } from '../domain/credential.ts';
import type {
  RedeemableSignIn,
  SignIn,
  SignInHead,
  SignInOutcome,
  StartedSignIn,
} from '../domain/sign-in.ts';

/** Owner of a sign-in: a user, or a connect session opened by that user. */
export interface SignInOwner {
  readonly accountId: string;
  readonly userId: string;
  readonly connectSessionId: string | null;
}

/** Stores sign-ins. Every method treats one that has expired at `now` as missing. */
export interface SignInStore {
  insert(ctx: RequestContext, signIn: RedeemableSignIn): Promise<void>;
  find(ctx: RequestContext, owner: SignInOwner, state: string, now: Date): Promise<SignIn | undefined>;
  /** A pending sign-in outside of connect sessions, of any account: the state authorizes. */
  findPending(ctx: RequestContext, state: string, now: Date): Promise<SignInHead | undefined>;
  /** Marks a pending sign-in outside of connect sessions as failed for `reason`; false if there is none. */
  cancel(ctx: RequestContext, state: string, reason: string, now: Date): Promise<boolean>;
  /** Binds a pending sign-in (of that connect session, or of none) to a browser, replacing an earlier binding; returns it. */
  bind(
    ctx: RequestContext,
    signIn: { readonly state: string; readonly connectSessionId: string | null },
    bindingHash: string,
    now: Date,
  ): Promise<StartedSignIn | undefined>;
  /** Gives a pending sign-in that is bound to that browser to one caller, once. */
  claim(
    ctx: RequestContext,
    state: string,
    bindingHash: string,
    now: Date,
  ): Promise<RedeemableSignIn | undefined>;
  /**
   * Schedules the revocation of a claimed sign-in's grant for when the sign-in has expired; creating a connection cancels it. Called as
   * soon as there is a grant, whatever the sign-in's outcome.
   */
  holdGrant(ctx: RequestContext, signIn: RedeemableSignIn, tokens: Tokens): Promise<void>;
  /** Records the outcome of a claimed sign-in. */
  complete(ctx: RequestContext, signIn: RedeemableSignIn, outcome: SignInOutcome): Promise<void>;
  fail(ctx: RequestContext, signIn: RedeemableSignIn, reason: string): Promise<void>;
}
