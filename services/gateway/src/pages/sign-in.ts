import type { SignInService } from '@fairlead/contracts/connections/v1/sign_in_service_pb';
import type { ApiError } from '@fairlead/errors/api-error';
import { ERROR_CATALOGUE } from '@fairlead/errors/catalogue';
import type { Page } from '@fairlead/service-kit/http/app';
import type { Exchange } from '@fairlead/service-kit/http/exchange';
import { html, sendPage } from '@fairlead/service-kit/http/html';
import { asApiError } from '@fairlead/service-kit/http/reply';
import { stateCookies } from '@fairlead/service-kit/http/state-cookies';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import type { Response } from 'express';
import { CARD_STYLE } from './card-style.ts';

/**
 * The two hops of a person's browser in a vendor sign-in: `/connect/start/{state}` binds the sign-in to the browser by
 * a cookie and redirects it to the vendor; `/connect/callback` is where the vendor sends it back. Neither has an
 * account: the state names the sign-in, and the cookie proves that the same browser began it.
 */
export function signInPages(o: {
  readonly signIns: Pick<RpcClient<typeof SignInService>, 'beginSignIn' | 'completeSignIn'>;
  readonly publicUrl: string;
}): readonly Page[] {
  const cookies = stateCookies({ publicUrl: o.publicUrl, name: 'fairlead-sign-in' });

  const start: Page = {
    path: '/connect/start/{state}',
    isSafe: false,
    show: (exchange, request, response) =>
      orExplain(exchange, response, async () => {
        const state = String(request.params['state']);
        const sent = await o.signIns.beginSignIn(serviceContext(exchange), { state });
        response.append('set-cookie', cookies.set(state, sent.browserBinding));
        response.setHeader('cache-control', 'no-store');
        response.setHeader('referrer-policy', 'no-referrer');
        response.setHeader('location', new URL(sent.authorizeUrl).href);
        response.statusCode = 302;
        response.end();
      }),
  };

  const callback: Page = {
    path: '/connect/callback',
    isSafe: false,
    show: (exchange, request, response) =>
      orExplain(exchange, response, async () => {
        const callbackQuery = request.url.slice(request.url.indexOf('?') + 1);
        const state = new URLSearchParams(callbackQuery).get('state') ?? '';
        const browserBinding = cookies.read(request.headers.cookie, state);
        response.append('set-cookie', cookies.clear(state));
        const { applicationName } = await o.signIns.completeSignIn(serviceContext(exchange), {
          state,
          browserBinding,
          callbackQuery,
        });
        sendMessage(response, 200, {
          title: 'You are signed in',
          text: `${applicationName} has authorized the sign-in. You can close this window and continue where you came from.`,
        });
      }),
  };
  return [start, callback];
}

function serviceContext(exchange: Exchange): ReturnType<Exchange['contextFor']> {
  return exchange.contextFor({ kind: 'service', service: 'gateway' });
}

/** Runs a hop; shows the person what it throws. */
async function orExplain(exchange: Exchange, response: Response, hop: () => Promise<void>): Promise<void> {
  try {
    await hop();
  } catch (thrown) {
    const error = asApiError(thrown);
    const status = ERROR_CATALOGUE[error.code].http;
    if (status >= 500) exchange.log.error({ err: thrown, route: exchange.route }, 'a sign-in page failed');
    sendMessage(response, status, { ...explain(error), requestId: exchange.requestId });
  }
}

function explain(error: ApiError): { readonly title: string; readonly text: string } {
  switch (error.code) {
    case 'OAUTH_STATE_EXPIRED':
      return {
        title: 'This sign-in has ended',
        text: 'It has expired, has already been used, or was started in another browser. Go back to where you came from and start again.',
      };
    case 'OAUTH_SIGN_IN_FAILED':
      return { title: 'The sign-in did not succeed', text: error.message };
    case 'UNAVAILABLE':
    case 'TIMEOUT':
      return { title: 'Please try again', text: 'Part of the system is not responding at the moment.' };
    default:
      return {
        title: 'Something went wrong',
        text: 'The sign-in could not continue. Start again where you came from.',
      };
  }
}

function sendMessage(
  response: Response,
  status: number,
  o: { readonly title: string; readonly text: string; readonly requestId?: string },
): void {
  const reference =
    o.requestId === undefined ? undefined : html`<p><small>Reference: ${o.requestId}</small></p>`;
  sendPage(response, {
    status,
    title: o.title,
    style: CARD_STYLE,
    body: html`<main>
      <h1>${o.title}</h1>
      <p>${o.text}</p>
      ${reference}
    </main>`,
  });
}
