import type { RequestContext } from '@fairlead/service-kit/context/context';
import type {
  RedeemableSignIn,
  SignIn,
  SignInHead,
  SignInOutcome,
  StartedSignIn,
} from '../domain/sign-in.ts';

/** Sign-ins. Every method treats one that has expired at `now` as missing. */
export interface SignInStore {
  insert(ctx: RequestContext, signIn: RedeemableSignIn): Promise<void>;
  /** The sign-in with that state, if that user of that account started it. */
  find(
    ctx: RequestContext,
    owner: { readonly accountId: string; readonly userId: string },
    state: string,
    now: Date,
  ): Promise<SignIn | undefined>;
  /** A pending sign-in, whoever asks: the state itself authorizes. */
  findPending(ctx: RequestContext, state: string, now: Date): Promise<SignInHead | undefined>;
  /** Binds a pending sign-in to a browser, replacing an earlier binding, and returns it. */
  bind(
    ctx: RequestContext,
    state: string,
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
  /** Records the outcome of a claimed sign-in. */
  complete(ctx: RequestContext, signIn: RedeemableSignIn, outcome: SignInOutcome): Promise<void>;
  fail(ctx: RequestContext, signIn: RedeemableSignIn, reason: string): Promise<void>;
}
