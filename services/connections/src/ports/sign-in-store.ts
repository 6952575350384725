import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Tokens } from '../domain/credential.ts';
import type {
  RedeemableSignIn,
  SignIn,
  SignInHead,
  SignInOutcome,
  StartedSignIn,
} from '../domain/sign-in.ts';

/** The owner of a sign-in: a user alone, or a connect session that the user opened. */
export interface SignInOwner {
  readonly accountId: string;
  readonly userId: string;
  readonly connectSessionId: string | null;
}

/** Sign-ins. Every method treats one that has expired at `now` as missing. */
export interface SignInStore {
  insert(ctx: RequestContext, signIn: RedeemableSignIn): Promise<void>;
  /** The sign-in with that state, if it is that owner's. */
  find(ctx: RequestContext, owner: SignInOwner, state: string, now: Date): Promise<SignIn | undefined>;
  /** A pending sign-in of no connect session, whoever asks: the state itself authorizes. */
  findPending(ctx: RequestContext, state: string, now: Date): Promise<SignInHead | undefined>;
  /** Ends a pending sign-in of no connect session as failed for `reason`; false if there is none. */
  cancel(ctx: RequestContext, state: string, reason: string, now: Date): Promise<boolean>;
  /** Binds a pending sign-in, of that connect session or of none, to a browser, replacing an earlier binding; returns it. */
  bind(
    ctx: RequestContext,
    signIn: { readonly state: string; readonly connectSessionId: string | null },
    bindingHash: string,
    now: Date,
  ): Promise<StartedSignIn | undefined>;
  /** Hands a pending sign-in that is bound to that browser to one caller, once. */
  claim(
    ctx: RequestContext,
    state: string,
    bindingHash: string,
    now: Date,
  ): Promise<RedeemableSignIn | undefined>;
  /**
   * Has the grant of a claimed sign-in revoked at its vendor once the sign-in has expired, unless a connection is made of it. Called
   * as soon as there is a grant, whatever becomes of the sign-in.
   */
  holdGrant(ctx: RequestContext, signIn: RedeemableSignIn, tokens: Tokens): Promise<void>;
  /** Records the outcome of a claimed sign-in. */
  complete(ctx: RequestContext, signIn: RedeemableSignIn, outcome: SignInOutcome): Promise<void>;
  fail(ctx: RequestContext, signIn: RedeemableSignIn, reason: string): Promise<void>;
}
