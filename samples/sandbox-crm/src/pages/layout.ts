import { createHash } from 'node:crypto';
import { Html, html } from './html.ts';

const STYLE = `
:root { color-scheme: light; font: 16px/1.5 system-ui, sans-serif; color: #16242f; background: #eef3f5; }
body { margin: 0; padding: 2rem 1rem; }
main { max-width: 26rem; margin: 0 auto; padding: 1.5rem 2rem 2rem; background: #fff; border: 1px solid #cfdbe1; border-radius: .5rem; }
main.wide { max-width: 64rem; }
.brand { margin: 0; font-weight: 600; color: #0b6e6e; }
h1 { margin: .25rem 0 1rem; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 2rem 0 .5rem; font-size: 1.125rem; }
label { display: block; margin: 1rem 0 .25rem; font-weight: 600; }
input { box-sizing: border-box; width: 100%; padding: .5rem .625rem; font: inherit; border: 1px solid #70848f; border-radius: .25rem; }
button { padding: .5rem 1rem; font: inherit; font-weight: 600; color: #fff; background: #0b6e6e; border: 1px solid #0b6e6e; border-radius: .25rem; cursor: pointer; }
button.quiet { color: #0b6e6e; background: #fff; }
:focus-visible { outline: 3px solid #e08a00; outline-offset: 2px; }
.actions { display: flex; gap: .75rem; margin-top: 1.5rem; }
.error { padding: .5rem .75rem; color: #8c1d18; background: #fdeceb; border-left: 4px solid #b3261e; }
.controls { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: 1rem; }
.controls form { padding: .75rem 1rem; border: 1px solid #cfdbe1; border-radius: .25rem; }
.controls label { margin-top: 0; }
.controls button { margin-top: .5rem; }
table { width: 100%; border-collapse: collapse; font-size: .875rem; }
th, td { padding: .25rem .5rem; text-align: left; border-bottom: 1px solid #dde6ea; overflow-wrap: anywhere; }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/**
 * Headers of every page: no scripts, no frames, no caching. `formTargets` are other origins to which a form may lead; browsers apply
 * `form-action` also to redirects after a form.
 */
export function pageHeaders(formTargets: readonly string[] = []): Record<string, string> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      `style-src 'sha256-${STYLE_HASH}'`,
      `form-action ${["'self'", ...formTargets].join(' ')}`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'cache-control': 'no-store',
    // Like strict vendors: the window that opened this page loses its reference to it.
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
}

/** A whole page; `wide` is for tables. */
export function page(title: string, content: Html, width: 'narrow' | 'wide' = 'narrow'): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Sandbox CRM</title>
        ${new Html(`<style>${STYLE}</style>`)}
      </head>
      <body>
        <main class="${width}">
          <p class="brand">Sandbox CRM</p>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html>`.markup;
}
