import { html } from '@fairlead/pages/html';
import type { RenderedPage } from '@fairlead/pages/html';
import { cardPage } from '@fairlead/pages/card-page';

/** A page that only shows a message, with the request's id if an administrator may have to look it up. */
export function messagePage(o: {
  readonly status: number;
  readonly title: string;
  readonly paragraphs: readonly string[];
  readonly requestId?: string;
}): RenderedPage {
  return cardPage({
    status: o.status,
    title: o.title,
    content: [
      ...o.paragraphs.map((text) => html`<p>${text}</p>`),
      ...(o.requestId === undefined ? [] : [html`<p><small>Reference: ${o.requestId}</small></p>`]),
    ],
  });
}

/** The page's interaction has ended, or was started in another browser. */
export function expiredPage(requestId: string): RenderedPage {
  return messagePage({
    status: 400,
    title: 'This sign-in has ended',
    paragraphs: [
      'It took too long, was already completed, or was started in another browser.',
      'Go back to the application and start again.',
    ],
    requestId,
  });
}

/** The authorization server refused a request; `description` is its own text, or the application's. */
export function refusedPage(o: {
  readonly status: number;
  readonly error: string;
  readonly description: string | undefined;
  readonly requestId: string;
}): RenderedPage {
  return messagePage({
    status: o.status,
    title: 'This sign-in cannot continue',
    paragraphs: [
      'The application sent a request that cannot be processed. This tells its developers why:',
      o.description === undefined ? o.error : `${o.error}: ${o.description}`,
    ],
    requestId: o.requestId,
  });
}

/** The network address has started too many sign-ins. */
export function tooManyStartsPage(): RenderedPage {
  return messagePage({
    status: 429,
    title: 'Please try again',
    paragraphs: ['Too many sign-ins were started from your network. Reload this page in a few seconds.'],
  });
}

/** An internal error. */
export function failedPage(requestId: string): RenderedPage {
  return messagePage({
    status: 500,
    title: 'Something went wrong',
    paragraphs: [
      'The fault is on our side. Try again. If the problem persists, give an administrator the reference below.',
    ],
    requestId,
  });
}

/** A dependency is unavailable. */
export function unavailablePage(requestId: string): RenderedPage {
  return messagePage({
    status: 503,
    title: 'Please try again',
    paragraphs: ['Part of the system is not responding at the moment. Reload this page in a few seconds.'],
    requestId,
  });
}

/** No user is signed in in this browser. */
export function signedOutPage(): RenderedPage {
  return messagePage({
    status: 200,
    title: 'You are signed out',
    paragraphs: [
      'No user is signed in to Fairlead in this browser.',
      'Applications that you allowed keep their access until it is revoked or expires.',
    ],
  });
}
