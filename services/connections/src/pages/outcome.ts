import type { HttpHandler, Page } from '@fairlead/service-kit/http/app';
import { sendRendered } from '@fairlead/service-kit/http/html';
import type { RenderedPage } from '@fairlead/service-kit/http/html';
import { sendRedirect } from '@fairlead/service-kit/http/reply';
import { shownName } from '@fairlead/service-kit/http/shown-name';
import { stateCookies } from '@fairlead/service-kit/http/state-cookies';
import { randomBase62 } from '@fairlead/service-kit/ids';
import type { Response } from 'express';
import { messagePage } from './sign-in.page.ts';

const KINDS = ['completed', 'cancelled', 'failed', 'broken'] as const;

/** The end of a sign-in, as its page tells the person. */
export interface Outcome {
  readonly kind: (typeof KINDS)[number];
  /** `completed`: the application's name; `failed`: the reason, for people; `broken`: the request's id; otherwise empty. */
  readonly detail: string;
}

/** The end of sign-ins: a page of its own, so that no code or state stays in the address and a reload shows it again. */
export interface OutcomePages {
  /** Leads the browser to the page of `outcome`. */
  redirect(response: Response, outcome: Outcome): void;
  readonly page: Page;
}

const ID_LENGTH = 22;
const MAX_DETAIL_BYTES = 1_200;

/** Outcomes that each browser keeps itself, in cookies of five minutes. `limited` wraps the page's handler. */
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
        sendRendered(response, outcomePage(kept));
        return Promise.resolve();
      }),
    },
  };
}

/** A sign-in that has expired, was used before, or began in another browser. */
export const ENDED_PAGE = messagePage({
  status: 400,
  title: 'This sign-in has ended',
  text: 'It has expired, has already been used, or was started in another browser. Go back to where you came from and start again.',
});

function outcomePage(kept: string): RenderedPage {
  const [name = '', encoded = ''] = kept.split('.');
  const kind = KINDS.find((each) => each === name);
  const detail = Buffer.from(encoded, 'base64url').toString();
  switch (kind) {
    case 'completed': {
      const application = shownName(detail, 'The application');
      return messagePage({
        status: 200,
        title: 'You are signed in',
        text: `${application} has authorized the sign-in. You can close this window and continue where you came from.`,
      });
    }
    case 'cancelled':
      return messagePage({
        status: 200,
        title: 'Nothing was connected',
        text: 'You cancelled the sign-in. You can close this window.',
      });
    case 'failed':
      return messagePage({ status: 400, title: 'The sign-in did not succeed', text: detail });
    case 'broken':
      return messagePage({
        status: 500,
        title: 'Something went wrong',
        text: 'The sign-in could not continue. Start again where you came from.',
        requestId: detail,
      });
    case undefined:
      return ENDED_PAGE;
  }
}

/** Cuts after a whole word where there is one. */
function cutToBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const cut = bytes
    .subarray(0, maxBytes)
    .toString()
    .replace(/\uFFFD+$/, '');
  return `${cut.replace(/\s+\S*$/, '')}…`;
}
