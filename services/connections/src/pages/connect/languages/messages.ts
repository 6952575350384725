import type { Html } from '@fairlead/service-kit/http/html';

/** The texts of the hosted connect page in one language. Names are Html, ready to stand in a sentence. */
export interface Messages {
  /** Heading of a form that connects `application`. */
  connectTitle(application: string): string;
  /** Who asks for what, and what follows from agreeing. */
  asks(account: Html, application: Html): Html;
  readonly renewTitle: (application: string) => string;
  renews(account: Html, application: Html, connection: Html): Html;
  /** Labels of the names of who asks, and for what. */
  readonly account: string;
  readonly requestedBy: string;
  readonly application: string;
  readonly scopesTitle: string;
  readonly scopesAtVendor: string;
  moreScopes(count: number): string;
  /** Warns of a link that somebody passed on. */
  warning(account: Html, application: Html): Html;
  /** Says that the values are tried before they are saved. */
  tested(application: Html): Html;
  readonly optional: string;
  readonly choose: string;
  readonly connect: string;
  continueTo(application: string): string;
  readonly cancel: string;
  readonly otherMethods: string;
  readonly chooseTitle: string;
  chooses(account: Html): Html;
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
  /** Before a reason: the vendor’s own text, or ours. */
  readonly refusedText: string;
  readonly staleTitle: string;
  readonly staleText: string;

  readonly completedTitle: string;
  readonly cancelledTitle: string;
  readonly cancelledText: string;
  readonly expiredTitle: string;
  readonly endedTitle: string;
  /** The session is over. */
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
}
