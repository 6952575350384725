import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/** Markup that is safe to show: made by `html` only. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | readonly Html[] | string | undefined;

/** Markup in which text is escaped and Html is not; undefined shows nothing. */
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

/** What a page is made of. */
export interface PageParts {
  readonly status: number;
  readonly title: string;
  readonly style: string;
  readonly body: Html;
  /**
   * Left out where the page has no form. Otherwise where its forms may lead beside our own origin, as CSP sources:
   * browsers hold the redirects that answer a form to `form-action` too.
   */
  readonly formTargets?: readonly string[];
}

/** A page as it is sent. */
export interface RenderedPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * A whole page that may load nothing, run nothing, post nowhere but to its form targets and be framed by nobody: its own
 * style sheet, known by its hash, is all there is. No address of ours leaks to where it links.
 */
export function renderPage(o: PageParts): RenderedPage {
  const formAction = o.formTargets === undefined ? "'none'" : ["'self'", ...o.formTargets].join(' ');
  return renderUnder(["default-src 'none'", `style-src ${inlineHash(o.style)}`], {
    ...o,
    formAction,
    // Not within a template: a formatter's white space would be hashed by the browser too.
    head: new Html(`<style>${o.style}</style>`),
  });
}

/** The CSP source that allows this script or style sheet within the page, and no other. */
export function inlineHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/**
 * A whole page that loads and runs what `policy` allows (directives of a content security policy) and posts forms to
 * `formAction` only, by default nowhere. Nobody frames it; no address of ours leaks to where it links.
 */
export function renderUnder(
  policy: readonly string[],
  o: {
    readonly status: number;
    readonly title: string;
    readonly head: Html;
    readonly body: Html;
    readonly formAction?: string;
  },
): RenderedPage {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${o.title}</title>
        ${o.head}
      </head>
      <body>
        ${o.body}
      </body>
    </html> `;
  const closing = ["base-uri 'none'", `form-action ${o.formAction ?? "'none'"}`, "frame-ancestors 'none'"];
  return {
    status: o.status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': [...policy, ...closing].join('; '),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    },
    text: page.text,
  };
}

/** Answers the page that renderPage makes of `o`. */
export function sendPage(response: ServerResponse, o: PageParts): void {
  sendRendered(response, renderPage(o));
}

/** Answers a page that is rendered. */
export function sendRendered(response: ServerResponse, { status, headers, text }: RenderedPage): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(text);
}
