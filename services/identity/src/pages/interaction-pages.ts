import { OAUTH_PATH } from '@fairlead/access/resources';
import { ERROR_CATALOGUE } from '@fairlead/errors/catalogue';
import type { Clock } from '@fairlead/service-kit/clock';
import { sendRendered } from '@fairlead/pages/html';
import type { RenderedPage } from '@fairlead/pages/html';
import { asApiError } from '@fairlead/service-kit/http/reply';
import type { Secret } from '@fairlead/service-kit/secret';
import type { Request, Response } from 'express';
import { errors } from 'oidc-provider';
import { ConsentError, InteractionGoneError, interactionPath } from '../oauth/interactions.ts';
import type { CreateServerPages, ServerPages } from '../oauth/interactions.ts';
import { allow, deny, showInteraction } from './consent.ts';
import { WRONG_CODE_STATUS, confirmCodePage, deviceConnectedPage, enterCodePage } from './device.page.ts';
import { FormError } from '@fairlead/service-kit/http/form';
import { createKnownBrowsers } from './known-browsers.ts';
import { askToSignIn, chooseAccount, interactionOf, signIn } from './login.ts';
import type { People } from './members.ts';
import {
  expiredPage,
  failedPage,
  messagePage,
  refusedPage,
  tooManyStartsPage,
  unavailablePage,
} from './message.page.ts';
import { createPageKeys } from './page-keys.ts';
import type { PageCall, PageParts, ShowPage } from './page-call.ts';
import { tooMany } from './problems.ts';
import { SIGN_OUT_PATH } from './sign-out.page.ts';
import { askToSignOut, signOut } from './sign-out.ts';
import type { Throttle } from './throttle.ts';
import { createTickets } from './tickets.ts';
import { beginUpstream, completeUpstream, finishUpstream } from './upstream-pages.ts';
import type { UpstreamProvider } from './upstream-provider.ts';
import { UPSTREAM_CALLBACK_PATH, createUpstreamSignIn } from './upstream-sign-in.ts';
import type { UpstreamStore } from '../ports/upstream-store.ts';

export interface InteractionPagesDeps {
  readonly people: People;
  readonly throttle: Throttle;
  /** Keys of 32 bytes or more, the same on all replicas: the first signs, the others are still accepted. */
  readonly signingKeys: () => readonly Secret[];
  /** An upstream provider, with which people may sign in instead of a password, and the store of its sign-ins. */
  readonly upstream: { readonly provider: UpstreamProvider; readonly store: UpstreamStore } | undefined;
  /** Base address as browsers see it, without a trailing slash. */
  readonly publicUrl: string;
  /** Network address of the client that sent a request. */
  readonly addressOf: (request: Request) => string;
  readonly clock: Clock;
}

interface Address {
  /** Path template, for the log. */
  readonly path: string;
  readonly GET?: ShowPage;
  readonly POST?: ShowPage;
}

const INTERACTION = interactionPath('{interactionId}');
const DEVICE_PATH = `${OAUTH_PATH}/device`;

const ADDRESSES: readonly Address[] = [
  { path: INTERACTION, GET: showInteraction },
  {
    path: `${INTERACTION}/sign-in`,
    GET: async (call) => askToSignIn(call, await interactionOf(call)),
    POST: signIn,
  },
  { path: `${INTERACTION}/account`, POST: chooseAccount },
  { path: `${INTERACTION}/consent`, POST: allow },
  { path: `${INTERACTION}/deny`, POST: deny },
  { path: `${INTERACTION}/upstream`, GET: beginUpstream },
  { path: `${INTERACTION}/upstream/done`, GET: finishUpstream },
  { path: UPSTREAM_CALLBACK_PATH, GET: completeUpstream },
  { path: SIGN_OUT_PATH, GET: askToSignOut, POST: signOut },
];

/** Prefixes that belong to the pages only. */
const OWN = [interactionPath(''), `${OAUTH_PATH}/upstream/`, SIGN_OUT_PATH];

/** The pages on which people sign in, choose an account, decide what an application may do, and connect devices. */
export function createInteractionPages(deps: InteractionPagesDeps): CreateServerPages {
  const keys = createPageKeys(deps.signingKeys);
  const { people, throttle, publicUrl, addressOf, clock, upstream } = deps;
  return (interactions): ServerPages => {
    const parts: PageParts = {
      interactions,
      people,
      throttle,
      keys,
      tickets: createTickets({ keys, clock }),
      knownBrowsers: createKnownBrowsers({ keys, publicUrl }),
      upstream: upstream && createUpstreamSignIn({ ...upstream, people, keys, publicUrl, clock }),
      publicOrigin: new URL(publicUrl).origin,
      addressOf,
    };
    return {
      async handle(exchange, request, response) {
        const call: PageCall = { parts, exchange, request, response };
        try {
          return await handle(call);
        } catch (error) {
          if (response.headersSent) throw error;
          sendRendered(response, explain(call, error));
          return true;
        }
      },
      enterUserCode: enterCodePage,
      confirmUserCode: confirmCodePage,
      deviceConnected: deviceConnectedPage,
      showError,
    };
  };
}

async function handle(call: PageCall): Promise<boolean> {
  const { exchange, request, response } = call;
  const [path = ''] = request.originalUrl.split('?');
  const address = ADDRESSES.find((candidate) => fits(candidate.path, path));
  if (address !== undefined) {
    exchange.route = address.path;
    const { method } = request;
    // HEAD, which link checkers send, must not consume anything.
    const show = method === 'GET' || method === 'POST' ? address[method] : undefined;
    const page = show === undefined ? notAllowed(response, address) : await show(call);
    if (page !== undefined) sendRendered(response, page);
    return true;
  }
  if (OWN.some((prefix) => path.startsWith(prefix))) {
    sendRendered(response, notFoundPage());
    return true;
  }
  return path === DEVICE_PATH && request.method === 'POST' && (await isThrottled(call));
}

function fits(template: string, path: string): boolean {
  const [templateParts, pathParts] = [template.split('/'), path.split('/')];
  return (
    templateParts.length === pathParts.length &&
    templateParts.every((part, index) =>
      part.startsWith('{') ? pathParts[index] !== '' : part === pathParts[index],
    )
  );
}

function notAllowed(response: Response, { GET, POST }: Address): RenderedPage {
  response.setHeader('allow', [GET && 'GET', POST && 'POST'].filter(Boolean).join(', '));
  return messagePage({
    status: 405,
    title: 'This page cannot be opened this way',
    paragraphs: ['Go back to the application and start again.'],
  });
}

function notFoundPage(): RenderedPage {
  return messagePage({
    status: 404,
    title: 'Page not found',
    paragraphs: ['There is nothing at this address. Go back to the application and start again.'],
  });
}

function explain({ exchange }: PageCall, error: unknown): RenderedPage {
  const { requestId, log, route } = exchange;
  if (error instanceof InteractionGoneError) return expiredPage(requestId);
  if (error instanceof FormError || error instanceof ConsentError) {
    return messagePage({
      status: error instanceof FormError ? error.status : 403,
      title: 'This form cannot be accepted',
      paragraphs: [error.message, 'Go back to the application and start again.'],
      requestId,
    });
  }
  log.error({ err: error, route }, 'a page of the authorization server failed');
  // An error of the library has a status; of these only 503 and 504 are not our fault.
  const status =
    error instanceof errors.OIDCProviderError
      ? error.statusCode
      : ERROR_CATALOGUE[asApiError(error).code].http;
  return failureOf({ status: status === 503 || status === 504 ? status : 500, requestId });
}

/**
 * Counts an attempt to enter a device code; the provider's response status later shows whether it was a wrong guess. After too many it
 * sends the 429 page and returns true.
 */
async function isThrottled({ parts, exchange, request, response }: PageCall): Promise<boolean> {
  const admission = await parts.throttle.userCode(parts.addressOf(request));
  if (!admission.isAdmitted) {
    exchange.route = DEVICE_PATH;
    response.setHeader('retry-after', admission.retryAfterSeconds);
    const { title, text } = tooMany(admission.retryAfterSeconds);
    sendRendered(response, messagePage({ status: 429, title, paragraphs: [text] }));
    return true;
  }
  response.once('finish', () => {
    if (response.statusCode === WRONG_CODE_STATUS) return;
    admission.succeeded().catch((error: unknown) => {
      exchange.log.warn({ err: error }, 'could not undo the count of a device code as a guess');
    });
  });
  return false;
}

function showError(o: Parameters<ServerPages['showError']>[0]): RenderedPage {
  if (o.status === 429) return tooManyStartsPage();
  return o.status >= 500 ? failureOf(o) : refusedPage(o);
}

function failureOf(o: { readonly status: number; readonly requestId: string }): RenderedPage {
  return o.status === 500 ? failedPage(o.requestId) : unavailablePage(o.requestId);
}
