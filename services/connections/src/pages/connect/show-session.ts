import { formTargets } from '@fairlead/service-kit/http/form-target';
import { html } from '@fairlead/pages/html';
import type { Html, RenderedPage } from '@fairlead/pages/html';
import { nameInText, shownName } from '@fairlead/pages/shown-name';
import type { PageUseCases } from '../bind-use-cases.ts';
import { formTokenOf } from '../form-token.ts';
import { choosePage, PAGE_SIZE } from './choose.page.ts';
import type { Language } from './languages/choose.ts';
import { accountInText } from './layout.ts';
import type { Look, PageProblem } from './layout.ts';
import { connectMessagePage } from './message.page.ts';
import { methodPage, optionsPage } from './method.page.ts';
import type { Attempt, FormTarget } from './method.page.ts';
import { findAuthorized, findOffer, onlyApplication, optionFields } from './offer.ts';
import type { Offer } from './offer.ts';
import { returnAddress, themeOf } from './session.ts';
import type { PageSession } from './session.ts';

/** Dependencies for showing a session; none of them changes anything. */
export type ShowingUseCases = Pick<
  PageUseCases,
  'listConnectApplications' | 'getConnectApplication' | 'getConnectSignIn'
>;

/** Appearance of the session's pages. */
export function lookOf(page: PageSession, language: Language): Look {
  const { session, status, isPopup, isUsable } = page;
  return {
    language,
    theme: themeOf(session.theme),
    accountName: page.accountName,
    userName: page.userName,
    news:
      status === 'open'
        ? undefined
        : {
            sessionId: session.id,
            status,
            allowedOrigins: session.allowedOrigins,
            isClosing: isPopup && !isUsable,
          },
  };
}

/** The address of a session's page. */
export function pathOf(sessionId: string): string {
  return `/connect/sessions/${encodeURIComponent(sessionId)}`;
}

/** Target and hidden members of the page's forms. */
export function formOf(page: PageSession, publicUrl: string): FormTarget {
  const { redirectUrl } = page.session;
  const targets = [publicUrl, ...(redirectUrl === null ? [] : [redirectUrl])];
  return {
    path: pathOf(page.session.id),
    formToken: formTokenOf(page.token),
    formTargets: [...new Set(targets.flatMap((url) => formTargets(new URL(url), { mayContinue: true })))],
  };
}

interface Showing {
  readonly page: PageSession;
  readonly look: Look;
  readonly form: FormTarget;
  /** The person's choices, from the query. */
  readonly query: URLSearchParams;
  /** State of the sign-in with remaining choices; empty without one. */
  readonly state: string;
}

/** The current page of a session; `query` has the person's choices. NOT_FOUND if the session does not offer one of them. */
export async function showSession(useCases: ShowingUseCases, o: Showing): Promise<RenderedPage> {
  const { page, look, form, query, state } = o;
  const over = endPage(page, look);
  if (over !== undefined) return over;
  const authorized = state === '' ? undefined : await findAuthorized(useCases, page, state);
  const slug = authorized?.applicationSlug ?? onlyApplication(page) ?? query.get('application');
  if (slug === null) return await showChoice(useCases, o);
  const problem = lastProblem(page, look);
  const attempt: Attempt = { entered: new Map(), fieldProblems: new Map(), problem };
  if (authorized !== undefined) {
    const { authenticationId } = authorized;
    const offer = await findOffer(useCases, page, slug, String(authenticationId));
    const { application } = offer;
    const fields = optionFields(authorized, offer);
    return optionsPage({ look, form, application, authenticationId, state, fields, attempt });
  }
  return showOffer(page, look, form, await findOffer(useCases, page, slug, query.get('method')), attempt);
}

/** The form of one method. */
export function showOffer(
  page: PageSession,
  look: Look,
  form: FormTarget,
  offer: Offer,
  attempt: Attempt,
): RenderedPage {
  return methodPage({
    offer,
    look,
    form,
    renews: page.renews?.connectionName,
    hasChoice: onlyApplication(page) === undefined,
    attempt,
  });
}

async function showChoice(useCases: ShowingUseCases, o: Showing): Promise<RenderedPage> {
  const { page, look, form, query } = o;
  const search = (query.get('search') ?? '').slice(0, 200);
  const offset = /^\d{1,6}$/.test(query.get('offset') ?? '') ? Number(query.get('offset')) : 0;
  const { items, totalCount } = await useCases.listConnectApplications(page.context, {
    page: { offset, top: PAGE_SIZE },
    search,
  });
  const back = returnAddress(page);
  return choosePage({
    look,
    form,
    applications: items,
    totalCount,
    offset,
    search,
    connected: page.session.connections.map(({ connectionName }) => connectionName),
    done: back === undefined || page.isPopup ? undefined : { href: back.href },
    problem: lastProblem(page, look),
  });
}

/** Why the last attempt failed, in the vendor's words. */
function lastProblem({ session }: PageSession, { language }: Look): PageProblem | undefined {
  const { refusedTitle: title, refusedText: text } = language.messages;
  return session.lastError === null ? undefined : { title, text, detail: session.lastError };
}

/** Text about who ended the session, if known. */
function cancelledText({ session }: PageSession, look: Look): Html {
  const { messages } = look.language;
  switch (session.endedBy) {
    case 'endUser':
      return html`${messages.cancelledText}`;
    case 'account':
      return html`${messages.withdrawnText(accountInText(look))} ${messages.startAgain}`;
    case null:
      return html`${messages.startAgain}`;
  }
}

/** The final page of an ended session; undefined while it can still connect something. */
function endPage(page: PageSession, look: Look): RenderedPage | undefined {
  const { messages } = look.language;
  const { session } = page;
  const back = returnAddress(page);
  const end = {
    look,
    isEnd: true,
    back: back === undefined || page.isPopup ? undefined : { href: back.href, host: back.host },
  };
  const account = accountInText(look);
  if (page.isUsable && session.connectionId !== null && page.renews === undefined)
    return connectMessagePage({ ...end, title: messages.goneTitle, text: messages.goneText(account) });
  if (page.isUsable && page.renews === undefined && !page.hasRoom)
    return connectMessagePage({ ...end, title: messages.limitTitle, text: messages.limitText(account) });
  if (page.isUsable) return undefined;
  switch (page.status) {
    case 'completed':
      return connectMessagePage({
        ...end,
        title: messages.completedTitle,
        text: html`${session.connections.map(({ connectionName }) => html`${messages.connected(nameInText(shownName(connectionName, '—')))} `)}`,
      });
    case 'cancelled':
      return connectMessagePage({ ...end, title: messages.cancelledTitle, text: cancelledText(page, look) });
    case 'expired':
      return connectMessagePage({ ...end, title: messages.expiredTitle, text: messages.startAgain });
    case 'open':
      return connectMessagePage({ ...end, title: messages.endedTitle, text: messages.startAgain });
  }
}
