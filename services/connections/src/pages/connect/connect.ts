import { requiresOAuthSignIn } from '@fairlead/connector-model/model';
import { ApiError, overloaded } from '@fairlead/errors/api-error';
import { ERROR_CATALOGUE } from '@fairlead/errors/catalogue';
import type { HttpHandler, Page } from '@fairlead/service-kit/http/app';
import type { Exchange } from '@fairlead/service-kit/http/exchange';
import { FormError, readForm } from '@fairlead/service-kit/http/form';
import { sendRendered } from '@fairlead/pages/html';
import { asApiError, sendRedirect } from '@fairlead/service-kit/http/reply';
import { stateCookies } from '@fairlead/service-kit/http/state-cookies';
import { randomBase62 } from '@fairlead/service-kit/ids';
import type { Request, Response } from 'express';
import type { AddressLimit } from '../address-limit.ts';
import type { PageUseCases } from '../bind-use-cases.ts';
import { isFormTokenOf } from '../form-token.ts';
import { vendorBindings } from '../vendor-binding.ts';
import { sendErrorPage } from './error-page.ts';
import { explainAttempt, refused, wrongFields } from './explain.ts';
import type { FormProblems } from './explain.ts';
import { isSecret } from './fields.ts';
import type { FormField } from './fields.ts';
import { readValues } from './form-values.ts';
import type { FormValues } from './form-values.ts';
import { chooseLanguage } from './languages/choose.ts';
import { optionsPage } from './method.page.ts';
import { findAuthorized, findOffer, onlyApplication, optionFields } from './offer.ts';
import type { AuthorizedSignIn, Offer } from './offer.ts';
import { createPageSessions, returnAddress } from './session.ts';
import type { PageSession, PageSessionsOptions } from './session.ts';
import { formOf, lookOf, pathOf, showOffer, showSession } from './show-session.ts';
import type { ShowingUseCases } from './show-session.ts';

type ConnectUseCases = ShowingUseCases &
  Pick<
    PageUseCases,
    'resolveConnectSession' | 'signInWithinSession' | 'connectApplication' | 'cancelConnectSession'
  >;

export interface ConnectPagesOptions extends PageSessionsOptions {
  readonly useCases: ConnectUseCases;
  /** Network address of the client that sent the request. */
  readonly addressOf: (request: Request) => string;
  readonly limit: AddressLimit;
}

/** The callback of a sign-in that belongs to a session. */
export interface SignInCallback {
  readonly sessionId: string;
  readonly state: string;
}

/** The hosted connect pages, and the continuation when a vendor sends a person back into a session. */
export interface ConnectPages {
  readonly pages: readonly Page[];
  /** Connects with the finished sign-in, or asks for remaining choices; errors are shown on the session's page. */
  readonly continueSession: (
    exchange: Exchange,
    request: Request,
    response: Response,
    returned: SignInCallback,
  ) => Promise<void>;
}

/**
 * The pages on which an account's customers connect applications. `/connect/session/{token}` has the session's token only once: the token
 * moves to a cookie, and the browser continues at `/connect/sessions/{sessionId}`, which has all forms (ADR 36). Opening a page never
 * changes anything.
 */
export function connectPages(o: ConnectPagesOptions): ConnectPages {
  const publicOrigin = new URL(o.publicUrl).origin;
  const sessions = createPageSessions(o);
  const bindings = vendorBindings(o.publicUrl);
  /** States of sign-ins with remaining choices, by an id in the address, so that no address contains a state. */
  const choices = stateCookies({ publicUrl: o.publicUrl, name: 'fairlead-choices' });

  const open: Page = {
    path: '/connect/session/{token}',
    isSafe: true,
    show: asPage(async (exchange, request, response) => {
      const isPopup = queryOf(request).get('display') === 'popup';
      const page = await sessions.open(exchange, String(request.params['token']), isPopup);
      response.append('set-cookie', sessions.cookieOf(page));
      sendRedirect(response, pathOf(page.session.id));
    }),
  };

  const session: Page = {
    path: '/connect/sessions/{sessionId}',
    isSafe: true,
    show: asPage(async (exchange, request, response) => {
      const page = await find(exchange, request);
      const look = lookOf(page, chooseLanguage(page.session.locale, request));
      const form = formOf(page, o.publicUrl);
      // The page can be reloaded for a while.
      if (!page.isUsable) response.append('set-cookie', sessions.cookieOf(page));
      const query = queryOf(request);
      const state = choices.read(request.headers.cookie, query.get(CHOICES) ?? '');
      sendRendered(response, await showSession(o.useCases, { page, look, form, query, state }));
    }),
    submit: asPage(async (exchange, request, response) => {
      const page = await find(exchange, request);
      const form = await readForm(exchange, request, publicOrigin);
      if (!isFormTokenOf(page.token, form.get('form_token')))
        throw new FormError(403, 'The form was not sent from this page.');
      if (!page.isUsable) sendRedirect(response, pathOf(page.session.id));
      else if (form.get('action') === 'cancel') {
        await o.useCases.cancelConnectSession(page.context);
        await finish(exchange, response, page);
      } else if (isFull(page)) sendRedirect(response, pathOf(page.session.id));
      else await submit(exchange, request, response, page, form);
    }),
  };

  /** Throws NOT_FOUND for a session that no longer exists, FORBIDDEN if the browser has no cookie for it. */
  async function find(exchange: Exchange, request: Request): Promise<PageSession> {
    const sessionId = String(request.params['sessionId']);
    const page = await sessions.find(exchange, request.headers.cookie, sessionId);
    if (page === undefined) throw new ApiError('FORBIDDEN', 'The browser has not opened this session.');
    return page;
  }

  /** Handles a form that connects something. */
  async function submit(
    exchange: Exchange,
    request: Request,
    response: Response,
    page: PageSession,
    form: URLSearchParams,
  ): Promise<void> {
    const slug = onlyApplication(page) ?? form.get('application') ?? '';
    const offer = await findOffer(o.useCases, page, slug, form.get('method'));
    const state = form.get('state');
    const authorized = state === null ? undefined : await findAuthorized(o.useCases, page, state);
    if (state !== null && authorized === undefined) throw new ApiError('OAUTH_STATE_EXPIRED', 'It is over.');
    const fields = authorized === undefined ? offer.fields : optionFields(authorized, offer);
    const values = readValues(fields, form);
    const look = lookOf(page, chooseLanguage(page.session.locale, request));
    const { messages } = look.language;

    const again = (explained: FormProblems, status: number): void => {
      const attempt = { entered: inputToRepeat(values, fields), ...explained, status };
      const target = formOf(page, o.publicUrl);
      sendRendered(
        response,
        authorized === undefined || state === null
          ? showOffer(page, look, target, offer, attempt)
          : optionsPage({
              look,
              form: target,
              application: offer.application,
              authenticationId: authorized.authenticationId,
              state,
              fields,
              attempt,
            }),
      );
    };
    if (values.problems.size > 0) {
      again(wrongFields(values.problems, messages), ERROR_CATALOGUE.VALIDATION_ERROR.http);
      return;
    }
    try {
      if (requiresOAuthSignIn(offer.method) && authorized === undefined) {
        await leave(response, page, offer, values);
        return;
      }
      const refusal = await connect(page, offer, values, state ?? undefined);
      if (refusal === undefined) await finish(exchange, response, page);
      else again(refused(refusal, messages), ERROR_CATALOGUE.VALIDATION_ERROR.http);
    } catch (thrown) {
      const error = asApiError(thrown);
      const explained = explainAttempt(
        error,
        fields.map(({ name }) => name),
        messages,
      );
      if (explained !== undefined) again(explained, ERROR_CATALOGUE[error.code].http);
      else if (isSaidByPage(error)) sendRedirect(response, pathOf(page.session.id));
      else throw thrown;
    }
  }

  /** Binds the sign-in to this browser and redirects to the vendor. */
  async function leave(
    response: Response,
    { context }: PageSession,
    { application, method }: Offer,
    { values }: FormValues,
  ): Promise<void> {
    const started = await o.useCases.signInWithinSession(context, {
      applicationSlug: application.slug,
      authenticationId: method.authenticationId,
      fields: values,
    });
    response.append('set-cookie', bindings.set(started.state, started.browserBinding.reveal()));
    sendRedirect(response, new URL(started.authorizeUrl).href);
  }

  /** Stores the connection; returns the vendor's reason if it refused. */
  async function connect(
    { context }: PageSession,
    { application, method }: Pick<Offer, 'application' | 'method'>,
    { values }: Pick<FormValues, 'values'>,
    oauthState: string | undefined,
  ): Promise<string | undefined> {
    const outcome = await o.useCases.connectApplication(context, {
      applicationSlug: application.slug,
      authenticationId: method.authenticationId,
      fields: values,
      oauthState,
    });
    return 'refusal' in outcome ? outcome.refusal : undefined;
  }

  /** Shows the session's outcome, or redirects to the account's product if nothing is left to do. */
  async function finish(exchange: Exchange, response: Response, before: PageSession): Promise<void> {
    const page = await sessions.open(exchange, before.token, before.isPopup);
    const back = returnAddress(page);
    const isLeaving = back !== undefined && !page.isPopup && !page.isUsable;
    sendRedirect(response, isLeaving ? back.href : pathOf(page.session.id));
  }

  async function continueSession(
    exchange: Exchange,
    request: Request,
    response: Response,
    { sessionId, state }: SignInCallback,
  ): Promise<void> {
    const page = await sessions.find(exchange, request.headers.cookie, sessionId);
    if (page === undefined) {
      sendRedirect(response, pathOf(sessionId));
      return;
    }
    const authorized =
      page.isUsable && !isFull(page) ? await findAuthorized(o.useCases, page, state) : undefined;
    if (authorized === undefined) {
      sendRedirect(response, pathOf(sessionId));
      return;
    }
    if (Object.values(authorized.fieldOptions).some((options) => Object.keys(options).length > 1)) {
      askChoices(response, { sessionId, state });
      return;
    }
    try {
      await connectAuthorized(page, authorized, state);
    } catch (thrown) {
      if (!isSaidByPage(asApiError(thrown))) throw thrown;
      sendRedirect(response, pathOf(sessionId));
      return;
    }
    await finish(exchange, response, page);
  }

  /** Redirects to the session's page with the remaining choices. */
  function askChoices(response: Response, { sessionId, state }: SignInCallback): void {
    const id = randomBase62(CHOICES_ID_LENGTH);
    response.append('set-cookie', choices.set(id, state));
    sendRedirect(response, `${pathOf(sessionId)}?${CHOICES}=${id}`);
  }

  /** Connects if no choice remains; a refusal becomes the session's last error, which its page shows. */
  async function connectAuthorized(
    page: PageSession,
    authorized: AuthorizedSignIn,
    state: string,
  ): Promise<void> {
    const { applicationSlug, authenticationId } = authorized;
    const offer = await findOffer(o.useCases, page, applicationSlug, String(authenticationId));
    await connect(page, offer, { values: {} }, state);
  }

  /** Runs `handler` within the network address's limit; shows errors to the person. */
  function asPage(handler: HttpHandler): HttpHandler {
    return async (exchange, request, response) => {
      const waitMs = o.limit(o.addressOf(request));
      if (waitMs > 0) {
        response.setHeader('retry-after', Math.ceil(waitMs / 1000));
        sendErrorPage(exchange, request, response, overloaded('Too many pages were opened.'));
        return;
      }
      try {
        await handler(exchange, request, response);
      } catch (thrown) {
        sendErrorPage(exchange, request, response, thrown);
      }
    };
  }
  return {
    pages: [open, session],
    continueSession: async (exchange, request, response, returned) => {
      try {
        await continueSession(exchange, request, response, returned);
      } catch (thrown) {
        // The vendor's code in this address is used up, so the session's page offers how to continue.
        exchange.log.warn({ err: thrown, route: exchange.route }, 'a session could not be continued');
        askChoices(response, returned);
      }
    },
  };
}

/** Query parameter of the session's page: names the cookie with a sign-in's state. */
const CHOICES = 'choices';
const CHOICES_ID_LENGTH = 22;

/** Whether one more connection would exceed the end user's maximum; the page says so. */
function isFull({ session, hasRoom }: PageSession): boolean {
  return session.connectionId === null && !hasRoom;
}

/** Whether the session's page itself explains the error: the maximum number of connections, or an ended session. */
function isSaidByPage({ code }: ApiError): boolean {
  return code === 'CONFLICT' || code === 'NOT_FOUND';
}

/** The input to show again: no secrets, nothing of a page for another method. */
function inputToRepeat({ entered }: FormValues, fields: readonly FormField[]): FormValues['entered'] {
  return new Map(
    fields.filter((field) => !isSecret(field)).map(({ name }) => [name, entered.get(name) ?? '']),
  );
}

function queryOf(request: Request): URLSearchParams {
  return new URL(request.url, 'http://localhost').searchParams;
}
