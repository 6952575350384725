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

/**
 * Answers a whole page that may load nothing, run nothing, post nowhere and be framed by nobody: its own style sheet,
 * known by its hash, is all there is. No address of ours leaks to where it links.
 */
export function sendPage(
  response: ServerResponse,
  o: { readonly status: number; readonly title: string; readonly style: string; readonly body: Html },
): void {
  const hash = createHash('sha256').update(o.style).digest('base64');
  // Not within the template below: a formatter's white space would be hashed by the browser too.
  const style = new Html(`<style>${o.style}</style>`);
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${o.title}</title>
        ${style}
      </head>
      <body>
        ${o.body}
      </body>
    </html> `;
  response.statusCode = o.status;
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.setHeader(
    'content-security-policy',
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  response.setHeader('referrer-policy', 'no-referrer');
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('cache-control', 'no-store');
  response.end(page.text);
}
