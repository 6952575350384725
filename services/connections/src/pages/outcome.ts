import type { HttpHandler, Page } from '@fairlead/service-kit/http/app';
import { html, sendRendered } from '@fairlead/pages/html';
import type { RenderedPage } from '@fairlead/pages/html';
import { sendRedirect } from '@fairlead/service-kit/http/reply';
import { nameInText, shownName } from '@fairlead/pages/shown-name';
import { stateCookies } from '@fairlead/service-kit/http/state-cookies';
import { randomBase62 } from '@fairlead/service-kit/ids';
import type { Response } from 'express';
import { chooseLanguage } from './connect/languages/choose.ts';
import type { Language } from './connect/languages/choose.ts';
import { messagePage } from './sign-in.page.ts';

const KINDS = ['completed', 'cancelled', 'failed', 'broken'] as const;

/** The outcome of a sign-in, for its final page. */
export interface Outcome {
  readonly kind: (typeof KINDS)[number];
  /** `completed`: the application's name. `failed`: the reason, for people. `broken`: the request's id. Otherwise empty. */
  readonly detail: string;
}

/** Final pages of sign-ins: own addresses, so that no code or state stays in the address and a reload works. */
export interface OutcomePages {
  /** Redirects the browser to the page of `outcome`. */
  redirect(response: Response, outcome: Outcome): void;
  readonly page: Page;
}

const ID_LENGTH = 22;
const MAX_DETAIL_BYTES = 1_200;

/** Keeps each browser's outcomes in its own cookies for five minutes. `limited` wraps the page's handler. */
export function outcomePages(o: {
  readonly publicUrl: string;
  readonly limited: (handler: HttpHandler) => HttpHandler;
}): OutcomePages {
  const cookies = stateCookies({ publicUrl: o.publicUrl, name: 'fairlead-outcome' });
  return {
    redirect(response, { kind, detail }) {
      const id = randomBase62(ID_LENGTH);
      const kept = Buffer.from(cutToBytes(detail, MAX_DETAIL_BYTES)).toString('base64url');
      response.append('set-cookie', cookies.set(id, `${kind}.${kept}`));
      sendRedirect(response, `/connect/outcome/${id}`);
    },
    page: {
      path: '/connect/outcome/{outcome}',
      isSafe: true,
      show: o.limited((_exchange, request, response) => {
        const kept = cookies.read(request.headers.cookie, String(request.params['outcome']));
        sendRendered(response, outcomePage(kept, chooseLanguage(null, request)));
        return Promise.resolve();
      }),
    },
  };
}

/** The sign-in has expired, was already used, or began in another browser. */
export function endedPage(language: Language): RenderedPage {
  const { endedTitle: title, endedText: text } = language.messages.signIn;
  return messagePage({ language, status: 400, title, text });
}

function outcomePage(kept: string, language: Language): RenderedPage {
  const [name = '', encoded = ''] = kept.split('.');
  const kind = KINDS.find((each) => each === name);
  const detail = Buffer.from(encoded, 'base64url').toString();
  const { messages } = language;
  const { signIn } = messages;
  switch (kind) {
    case 'completed': {
      const text = signIn.completedText(nameInText(shownName(detail, '—')));
      return messagePage({ language, status: 200, title: signIn.completedTitle, text });
    }
    case 'cancelled':
      return messagePage({
        language,
        status: 200,
        title: messages.cancelledTitle,
        text: signIn.cancelledText,
      });
    case 'failed':
      return failedPage(language, detail);
    case 'broken':
      return messagePage({
        language,
        status: 500,
        title: messages.failedTitle,
        text: signIn.brokenText,
        requestId: detail,
      });
    case undefined:
      return endedPage(language);
  }
}

/** The vendor, or one of our checks, refused the sign-in; `reason` is in English. */
export function failedPage(language: Language, reason: string): RenderedPage {
  const text = html`<bdi lang="en">${reason}</bdi>`;
  return messagePage({ language, status: 400, title: language.messages.signIn.failedTitle, text });
}

/** Cuts at a word boundary if possible. */
function cutToBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const cut = bytes
    .subarray(0, maxBytes)
    .toString()
    .replace(/\uFFFD+$/, '');
  return `${cut.replace(/\s+\S*$/, '')}…`;
}
