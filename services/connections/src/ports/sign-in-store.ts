import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { RedeemableSignIn, SignIn, SignInOutcome } from '../domain/sign-in.ts';

/** Sign-ins. Every method treats one whose time is over at `now` as if it were gone. */
export interface SignInStore {
  insert(ctx: RequestContext, signIn: RedeemableSignIn): Promise<void>;
  /** The sign-in of that person of that account. */
  find(
    ctx: RequestContext,
    owner: { readonly accountId: string; readonly userId: string },
    state: string,
    now: Date,
  ): Promise<SignIn | undefined>;
  /** Binds a pending sign-in to a browser, the last one that asks; answers the authorize address. */
  bind(ctx: RequestContext, state: string, bindingHash: string, now: Date): Promise<string | undefined>;
  /** Gives a pending sign-in to one caller, once, if it is bound to that browser. */
  claim(
    ctx: RequestContext,
    state: string,
    bindingHash: string,
    now: Date,
  ): Promise<RedeemableSignIn | undefined>;
  /** Records how a claimed sign-in ended. */
  complete(ctx: RequestContext, signIn: RedeemableSignIn, outcome: SignInOutcome): Promise<void>;
  fail(ctx: RequestContext, signIn: RedeemableSignIn, reason: string): Promise<void>;
}
