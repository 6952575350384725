import { cardStyle } from '@fairlead/pages/card-style';
import { MARK } from '@fairlead/pages/card-page';
import { html, renderPage } from '@fairlead/pages/html';
import type { Html, RenderedPage } from '@fairlead/pages/html';
import { DOCS_PATH, GUIDES_PATH } from './addresses.ts';

/** The links at the top of every page for readers. */
export const SITE_NAVIGATION = html`<a class="brand" href="/">${MARK}<span>Fairlead</span></a>
  <nav aria-label="Fairlead">
    <a href="${GUIDES_PATH}">Guides</a>
    <a href="${DOCS_PATH}">API reference</a>
  </nav>`;

/** A page for readers: navigation at the top, `content` in a column with room for tables and code. */
export function sitePage(o: { readonly title: string; readonly content: Html }): RenderedPage {
  return renderPage({
    status: 200,
    title: `${o.title} · Fairlead`,
    style: STYLE,
    body: html`<a class="skip" href="#content">Skip to content</a>
      <header>${SITE_NAVIGATION}</header>
      <main id="content" tabindex="-1">${o.content}</main>`,
  });
}

/** Layout of the navigation, on these pages and above the API reference. */
export const NAVIGATION_STYLE = `.brand{display:flex;align-items:center;gap:.5rem;margin:0;font-weight:650;text-decoration:none}`;

const STYLE = `${cardStyle()}
body{display:block;padding:0;place-items:normal}
header{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:.25rem 1.5rem;padding:.75rem 1rem;background:var(--card);border-bottom:1px solid var(--line)}
${NAVIGATION_STYLE}
nav[aria-label=Fairlead]{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem}
.skip{position:absolute;left:-100vw;padding:.5rem 1rem;background:var(--card)}.skip:focus{left:0}
main,main:focus{max-width:52rem;margin:1.5rem auto;outline:0}
@media(max-width:54rem){main,main:focus{margin:0;border:0;border-radius:0;box-shadow:none;padding:1.25rem 1rem 2rem}}
h1{font-size:1.75rem}h2{margin:2rem 0 .5rem;font-size:1.25rem}h3{margin:1.5rem 0 .5rem;font-size:1.0625rem}
h2,h3{line-height:1.3}li{margin:.25rem 0}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,monospace;font-size:.875em}
code{background:var(--note);border-radius:.25rem;padding:.1em .25em}
pre{margin:.75rem 0;padding:.75rem 1rem;background:var(--note);border:1px solid var(--line);border-radius:.5rem;overflow-x:auto;overflow-wrap:normal;font-size:.875rem}
pre code{padding:0;background:none;font-size:inherit}
.wide{margin:1rem 0;overflow-x:auto}
table{border-collapse:collapse;font-size:.9375rem;overflow-wrap:normal}
th,td{padding:.375rem .75rem;border:1px solid var(--line);text-align:left;vertical-align:top;min-width:6rem}
th{background:var(--note)}
img{max-width:100%;height:auto}
blockquote{margin:1rem 0;padding:0 1rem;border-left:.25rem solid var(--line);color:var(--muted)}
.contents{margin:1rem 0;padding:.5rem 1rem;background:var(--note);border-radius:.5rem}.contents ul{margin:.25rem 0;padding-left:1.25rem}
.end{margin-top:2.5rem;padding-top:1rem;border-top:1px solid var(--line)}`;
