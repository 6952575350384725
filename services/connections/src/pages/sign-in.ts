import { ApiError } from '@fairlead/errors/api-error';
import { ERROR_CATALOGUE } from '@fairlead/errors/catalogue';
import type { ErrorCode } from '@fairlead/errors/catalogue';
import type { HttpHandler, Page } from '@fairlead/service-kit/http/app';
import type { Exchange } from '@fairlead/service-kit/http/exchange';
import { FormError, readForm } from '@fairlead/service-kit/http/form';
import { sendRendered } from '@fairlead/pages/html';
import type { RenderedPage } from '@fairlead/pages/html';
import { asApiError, sendRedirect } from '@fairlead/service-kit/http/reply';
import { stateCookies } from '@fairlead/service-kit/http/state-cookies';
import { randomBase62 } from '@fairlead/service-kit/ids';
import { Secret } from '@fairlead/service-kit/secret';
import type { Request, Response } from 'express';
import type { FindMember } from '../ports/members.ts';
import type { AddressLimit } from './address-limit.ts';
import type { PageUseCases } from './bind-use-cases.ts';
import { formTokenOf, isFormTokenOf } from './form-token.ts';
import { chooseLanguage } from './connect/languages/choose.ts';
import { endedPage, failedPage, outcomePages } from './outcome.ts';
import { platformContext } from './platform-context.ts';
import { askPage, messagePage } from './sign-in.page.ts';
import type { SignInPrompt } from './sign-in.page.ts';
import { vendorBindings } from './vendor-binding.ts';

export interface SignInPagesOptions {
  readonly useCases: Pick<PageUseCases, 'describeSignIn' | 'bindBrowser' | 'cancelSignIn' | 'completeSignIn'>;
  readonly findMember: FindMember;
  /** Base address as clients see it, without a trailing slash. */
  readonly publicUrl: string;
  /** Network address of the client that sent the request. */
  readonly addressOf: (request: Request) => string;
  readonly limit: AddressLimit;
  /** Continues with the connect session of a sign-in, whether or not the vendor authorised it. */
  readonly continueSession: (
    exchange: Exchange,
    request: Request,
    response: Response,
    returned: { readonly sessionId: string; readonly state: string },
  ) => Promise<void>;
}

// 256 bits.
const SECRET_LENGTH = 43;

/**
 * The pages that a person's browser visits during a vendor sign-in. `/connect/start/{state}` shows who asks for what. Its form binds the
 * sign-in to the browser by a cookie and leads to the vendor, or cancels. The vendor redirects back to `/connect/callback`; each
 * authorization server of MCP servers has its own address below it (ADR 33). Once the code is used, the browser continues at
 * `/connect/outcome/{outcome}`. No request has an account: the state identifies the sign-in, and the cookie proves that the same browser
 * began it (ADR 26).
 */
export function signInPages(o: SignInPagesOptions): readonly Page[] {
  const publicOrigin = new URL(o.publicUrl).origin;
  const bindings = vendorBindings(o.publicUrl);
  const forms = stateCookies({ publicUrl: o.publicUrl, name: 'fairlead-sign-in-form' });

  async function findSignInPrompt(exchange: Exchange, state: string): Promise<SignInPrompt> {
    const ctx = platformContext(exchange);
    const signIn = await o.useCases.describeSignIn(ctx, state);
    const member = await o.findMember(ctx, signIn.accountId, signIn.userId);
    if (member === undefined)
      throw new ApiError(
        'OAUTH_STATE_EXPIRED',
        'The user who started this sign-in no longer exists or is inactive.',
      );
    const { accountName, userName } = member;
    const { applicationName, scopes, scopeDescriptions, authorizeUrl } = signIn;
    const vendor = new URL(authorizeUrl);
    return { accountName, userName, applicationName, scopes, scopeDescriptions, vendor };
  }

  /** Shows the page with a matching cookie and form token; several tabs can be open. */
  function ask(request: Request, response: Response, prompt: SignInPrompt, { isStale = false } = {}): void {
    const state = stateOf(request);
    const sent = forms.read(request.headers.cookie, state);
    const secret = sent.length === SECRET_LENGTH ? sent : randomBase62(SECRET_LENGTH);
    response.append('set-cookie', forms.set(state, secret));
    const page = askPage({
      language: chooseLanguage(null, request),
      asked: prompt,
      path: `/connect/start/${encodeURIComponent(state)}`,
      formToken: formTokenOf(secret),
      isStale,
    });
    sendRendered(response, page);
  }

  /** Runs `handler` within the network address's limit; shows errors to the person. */
  const limited =
    (handler: HttpHandler): HttpHandler =>
    async (exchange, request, response) => {
      const waitMs = o.limit(o.addressOf(request));
      if (waitMs > 0) {
        response.setHeader('retry-after', Math.ceil(waitMs / 1000));
        const language = chooseLanguage(null, request);
        const { tryAgainTitle: title, tooManyText: text } = language.messages;
        sendRendered(response, messagePage({ language, status: 429, title, text }));
        return;
      }
      try {
        await handler(exchange, request, response);
      } catch (thrown) {
        sendRendered(response, explained(exchange, request, thrown));
      }
    };

  const outcomes = outcomePages({ publicUrl: o.publicUrl, limited });

  const start: Page = {
    path: '/connect/start/{state}',
    isSafe: true,
    show: limited(async (exchange, request, response) => {
      ask(request, response, await findSignInPrompt(exchange, stateOf(request)));
    }),
    submit: limited(async (exchange, request, response) => {
      const state = stateOf(request);
      const form = await readForm(exchange, request, publicOrigin);
      const secret = forms.read(request.headers.cookie, state);
      if (secret === '' || !isFormTokenOf(secret, form.get('form_token'))) {
        ask(request, response, await findSignInPrompt(exchange, state), { isStale: true });
        return;
      }
      if (form.get('action') === 'cancel') {
        await o.useCases.cancelSignIn(platformContext(exchange), state);
        response.append('set-cookie', forms.clear(state));
        outcomes.redirect(response, { kind: 'cancelled', detail: '' });
        return;
      }
      const redirect = await o.useCases.bindBrowser(platformContext(exchange), state);
      response.append('set-cookie', bindings.set(state, redirect.browserBinding.reveal()));
      sendRedirect(response, new URL(redirect.authorizeUrl).href);
    }),
  };

  const callback = (path: Page['path']): Page => ({
    path,
    isSafe: false,
    show: limited(async (exchange, request, response) => {
      const callbackQuery = request.url.slice(request.url.indexOf('?') + 1);
      const state = new URLSearchParams(callbackQuery).get('state') ?? '';
      const browserBinding = bindings.read(request.headers.cookie, state);
      const forget = (): void => {
        response.append('set-cookie', bindings.clear(state));
        response.append('set-cookie', forms.clear(state));
      };
      try {
        const { applicationName, connectSessionId } = await o.useCases.completeSignIn(
          platformContext(exchange),
          {
            state,
            browserBinding: new Secret(browserBinding),
            callbackQuery: new Secret(callbackQuery),
            callbackSegment: String(request.params['server'] ?? ''),
          },
        );
        forget();
        if (connectSessionId === undefined)
          outcomes.redirect(response, { kind: 'completed', detail: applicationName });
        else await o.continueSession(exchange, request, response, { sessionId: connectSessionId, state });
      } catch (thrown) {
        const error = asApiError(thrown);
        // No code was used, so this address may be reloaded; if the error is permanent, it fails again.
        if (MAY_BE_UNUSED.has(error.code)) throw thrown;
        forget();
        if (error.code === 'OAUTH_STATE_EXPIRED') throw thrown;
        if (error.code !== 'OAUTH_SIGN_IN_FAILED')
          exchange.log.error({ err: thrown, route: exchange.route }, 'a sign-in could not be completed');
        outcomes.redirect(
          response,
          error.code === 'OAUTH_SIGN_IN_FAILED'
            ? { kind: 'failed', detail: error.message }
            : { kind: 'broken', detail: exchange.requestId },
        );
      }
    }),
  });
  return [start, callback('/connect/callback'), callback('/connect/callback/{server}'), outcomes.page];
}

/** Errors after which the vendor's code may still be redeemed. */
const MAY_BE_UNUSED: ReadonlySet<ErrorCode> = new Set(['UNAVAILABLE', 'TIMEOUT', 'RATE_LIMIT_EXCEEDED']);

function stateOf(request: Request): string {
  return String(request.params['state']);
}

/** The page for an error, in the browser's preferred language. Server errors are logged. */
function explained(exchange: Exchange, request: Request, thrown: unknown): RenderedPage {
  const { requestId } = exchange;
  const language = chooseLanguage(null, request);
  const { messages } = language;
  const { formText, brokenText } = messages.signIn;
  if (thrown instanceof FormError)
    return messagePage({
      language,
      status: thrown.status,
      title: messages.formTitle,
      text: formText,
      requestId,
    });
  const error = asApiError(thrown);
  if (error.code === 'OAUTH_STATE_EXPIRED') return endedPage(language);
  const status = ERROR_CATALOGUE[error.code].http;
  if (status >= 500) exchange.log.error({ err: thrown, route: exchange.route }, 'a sign-in page failed');
  switch (error.code) {
    case 'OAUTH_SIGN_IN_FAILED':
      return failedPage(language, error.message);
    case 'UNAVAILABLE':
    case 'TIMEOUT':
      return messagePage({
        language,
        status,
        title: messages.tryAgainTitle,
        text: messages.awayText,
        requestId,
      });
    default:
      return messagePage({ language, status, title: messages.failedTitle, text: brokenText, requestId });
  }
}
