import { html } from '@fairlead/service-kit/http/html';
import type { RenderedPage } from '@fairlead/service-kit/http/html';
import { oauthPage } from './layout.ts';

/** A page that only tells something, with the request's id where somebody may have to look it up. */
export function messagePage(o: {
  readonly status: number;
  readonly title: string;
  readonly paragraphs: readonly string[];
  readonly requestId?: string;
}): RenderedPage {
  return oauthPage({
    status: o.status,
    title: o.title,
    content: [
      ...o.paragraphs.map((text) => html`<p>${text}</p>`),
      ...(o.requestId === undefined ? [] : [html`<p><small>Reference: ${o.requestId}</small></p>`]),
    ],
  });
}

/** The interaction that a page belongs to is over, or was begun in another browser. */
export function expiredPage(requestId: string): RenderedPage {
  return messagePage({
    status: 400,
    title: 'This sign-in is over',
    paragraphs: [
      'It took too long, was finished already, or was begun in another browser.',
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
    title: 'This sign-in cannot go on',
    paragraphs: [
      'The application sent a request that cannot be served. Its makers can tell why from this:',
      o.description === undefined ? o.error : `${o.error}: ${o.description}`,
    ],
    requestId: o.requestId,
  });
}

/** More sign-ins were begun than one place may begin. */
export function tooManyStartsPage(): RenderedPage {
  return messagePage({
    status: 429,
    title: 'Please try again',
    paragraphs: ['Too many sign-ins were begun from your network. Reload this page in a few seconds.'],
  });
}

/** Something of ours failed. */
export function failedPage(requestId: string): RenderedPage {
  return messagePage({
    status: 500,
    title: 'Something went wrong',
    paragraphs: [
      'The fault is on our side. Try again; if it stays, tell an administrator the reference below.',
    ],
    requestId,
  });
}

/** A part of ours does not answer. */
export function unavailablePage(requestId: string): RenderedPage {
  return messagePage({
    status: 503,
    title: 'Please try again',
    paragraphs: ['A part of the system does not answer at the moment. Reload this page in a few seconds.'],
    requestId,
  });
}

/** Nobody is signed in in this browser any more. */
export function signedOutPage(): RenderedPage {
  return messagePage({
    status: 200,
    title: 'You are signed out',
    paragraphs: [
      'Nobody is signed in to Fairlead in this browser.',
      'Applications that you allowed keep their access until it is revoked or expires.',
    ],
  });
}
