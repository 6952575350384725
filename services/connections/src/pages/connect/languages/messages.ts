import type { Html } from '@fairlead/pages/html';

/** Who asks: the user who opened the session, and the account. */
export interface Requester {
  readonly user: Html;
  readonly account: Html;
}

/** Texts of a sign-in without a connect session: the page before the vendor's, and the final page. */
export interface SignInMessages {
  title(application: string): string;
  /** Who asks for what, and the vendor's host. */
  asks(asking: Requester, application: Html, host: Html): Html;
  /** Shown instead of scopes if none are requested. */
  readonly defaultScopes: string;
  continueTo(application: string): string;
  readonly completedTitle: string;
  completedText(application: Html): Html;
  readonly cancelledText: string;
  readonly failedTitle: string;
  readonly brokenText: string;
  readonly endedTitle: string;
  readonly endedText: string;
  /** How to continue after an invalid form. */
  readonly formText: string;
}

/** Texts of the hosted connect page in one language, including those of a sign-in without session. Names are Html, ready for a sentence. */
export interface Messages {
  /** Heading of a form that connects `application`. */
  connectTitle(application: string): string;
  /** Who asks for what. */
  asks(asking: Requester, application: Html): Html;
  readonly renewTitle: (application: string) => string;
  renews(asking: Requester, application: Html, connection: Html): Html;
  /** Warns about forwarded links, and says how the access ends. */
  trust(account: Html): Html;
  /** Heading of the list of permissions; each line of it is a verb phrase. */
  scopesTitle(account: Html): Html;
  readonly scopesAtVendor: string;
  moreScopes(count: number): string;
  /** Says that the values are tested before they are saved. */
  tested(application: Html): Html;
  readonly optional: string;
  readonly choose: string;
  readonly connect: string;
  signInWith(application: string): string;
  /** Text of the link to the vendor's page on which a value, such as a key, can be found. */
  readonly helpLink: string;
  readonly cancel: string;
  readonly otherMethods: string;
  readonly chooseTitle: string;
  chooses(asking: Requester): Html;
  readonly searchLabel: string;
  readonly search: string;
  readonly noMatch: string;
  readonly previousPage: string;
  readonly nextPage: string;
  readonly allApplications: string;
  readonly connected: (connection: Html) => Html;
  readonly done: string;
  readonly chooseOptionsTitle: (application: string) => string;

  readonly problemPrefix: string;
  readonly checkTitle: string;
  readonly checkText: string;
  readonly required: string;
  readonly notAccepted: string;
  readonly refusedTitle: string;
  /** Text before a reason, which is the vendor’s or ours. */
  readonly refusedText: string;
  readonly staleTitle: string;
  readonly staleText: string;

  readonly completedTitle: string;
  readonly cancelledTitle: string;
  readonly cancelledText: string;
  /** Shown if the account ended the session before anything was connected. */
  withdrawnText(account: Html): Html;
  readonly expiredTitle: string;
  readonly endedTitle: string;
  /** Shown if the session has ended. */
  readonly startAgain: string;
  readonly goneTitle: string;
  goneText(account: Html): Html;
  readonly limitTitle: string;
  limitText(account: Html): Html;
  readonly notOfferedTitle: string;
  readonly notOfferedText: string;
  readonly reopenTitle: string;
  readonly reopenText: string;
  readonly tryAgainTitle: string;
  readonly tooManyText: string;
  readonly awayText: string;
  readonly failedTitle: string;
  readonly failedText: string;
  readonly formTitle: string;
  readonly reference: string;

  readonly mayClose: string;
  readonly closeWindow: string;
  returnTo(host: string): string;

  readonly signIn: SignInMessages;
}
