import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/** Markup that is safe to send; only `html` creates it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | readonly Html[] | string | undefined;

/** Markup in which text is escaped and Html is not; undefined renders nothing. */
export function html(strings: TemplateStringsArray, ...values: readonly Part[]): Html {
  const texts = values.map((value) => {
    if (value === undefined) return '';
    if (typeof value === 'string') return escape(value);
    return value instanceof Html ? value.text : value.map((part) => part.text).join('');
  });
  return new Html(String.raw({ raw: strings }, ...texts));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

export interface PageParts {
  readonly status: number;
  /** Language of the page (BCP 47). Default: English. */
  readonly lang?: string;
  readonly title: string;
  readonly style: string;
  readonly body: Html;
  /**
   * Absent if the page has no form. Otherwise the origins besides our own that its forms may lead to, as CSP sources:
   * browsers apply `form-action` to the redirects after a form, too.
   */
  readonly formTargets?: readonly string[];
}

export interface RenderedPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * A whole page that runs nothing, posts only to its form targets and cannot be framed. It loads only its own style sheet,
 * identified by its hash, and images of our own origin. It sends no referrer to the pages that it links to.
 */
export function renderPage(o: PageParts): RenderedPage {
  const formAction = o.formTargets === undefined ? "'none'" : ["'self'", ...o.formTargets].join(' ');
  return renderUnder(["default-src 'none'", `style-src ${inlineHash(o.style)}`], {
    ...o,
    formAction,
    // Not within a template: the browser would also hash a formatter's white space.
    head: new Html(`<style>${o.style}</style>`),
  });
}

/** The CSP source that allows exactly this inline script or style sheet. */
export function inlineHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** Where the installation serves its icon. */
export const ICON_PATH = '/favicon.svg';

/**
 * A whole page with the installation's icon. It loads and runs what `policy` allows (directives of a content security
 * policy), images of our own origin and of `images`, and posts forms to `formAction` only, by default nowhere. It cannot
 * be framed and sends no referrer to the pages that it links to.
 */
export function renderUnder(
  policy: readonly string[],
  o: {
    readonly status: number;
    /** The member of the same name in PageParts. */
    readonly lang?: string;
    readonly title: string;
    readonly head: Html;
    readonly body: Html;
    /** Sources of images besides our own origin, as CSP sources. */
    readonly images?: readonly string[];
    readonly formAction?: string;
  },
): RenderedPage {
  const page = html`<!doctype html>
    <html lang="${o.lang ?? 'en'}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${o.title}</title>
        <link rel="icon" href="${ICON_PATH}" type="image/svg+xml" />
        ${o.head}
      </head>
      <body>
        ${o.body}
      </body>
    </html> `;
  const images = ["img-src 'self'", ...(o.images ?? [])].join(' ');
  const closing = ["base-uri 'none'", `form-action ${o.formAction ?? "'none'"}`, "frame-ancestors 'none'"];
  return {
    status: o.status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': [...policy, images, ...closing].join('; '),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    },
    text: page.text,
  };
}

/** Sends the page that renderPage creates from `o`. */
export function sendPage(response: ServerResponse, o: PageParts): void {
  sendRendered(response, renderPage(o));
}

export function sendRendered(response: ServerResponse, { status, headers, text }: RenderedPage): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(text);
}
