import type { Page } from '@fairlead/service-kit/http/app';
import { html } from '@fairlead/pages/html';
import type { RenderedPage } from '@fairlead/pages/html';
import { DOCS_PATH, GUIDES_PATH } from '../addresses.ts';
import { publishedHtml, publishedPage } from '../published.ts';
import { sitePage } from '../site-page.ts';
import type { Guide, Picture } from './load-guides.ts';

/** A guide with at least this many sections gets a list of sections. */
const CONTENTS_FROM = 3;

/** Serves the list of guides, each guide as a page and as Markdown, and their pictures. */
export function guidePages(guides: readonly Guide[], pictures: readonly Picture[]): readonly Page[] {
  return [
    publishedHtml(GUIDES_PATH, listPage(guides)),
    ...guides.flatMap((guide) => [
      publishedHtml(guide.path, guidePage(guide)),
      publishedPage(`${guide.path}.md`, {
        contentType: 'text/markdown; charset=utf-8',
        body: guide.markdown,
      }),
    ]),
    ...pictures.map(({ path, contentType, body }) =>
      publishedPage(path, {
        contentType,
        body,
        // Scripts are forbidden: an SVG opened by itself is a document that could run scripts.
        headers: { 'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'" },
      }),
    ),
  ];
}

function listPage(guides: readonly Guide[]): RenderedPage {
  return sitePage({
    title: 'Guides',
    content: html`<h1>Guides</h1>
      <ul>
        ${guides.map(({ path, title, summary }) => html`<li><a href="${path}">${title}</a>: ${summary}</li>`)}
      </ul>
      <p>Every operation is described in the <a href="${DOCS_PATH}">API reference</a>.</p>`,
  });
}

function guidePage({ title, path, content, sections }: Guide): RenderedPage {
  const contents = html`<nav class="contents" aria-label="On this page">
    <ul>
      ${sections.map((section) => html`<li><a href="#${section.id}">${section.title}</a></li>`)}
    </ul>
  </nav>`;
  return sitePage({
    title,
    content: html`${sections.length < CONTENTS_FROM ? undefined : contents} ${content}
      <p class="end">
        <a href="${GUIDES_PATH}">All guides</a> · <a href="${path}.md">This guide as Markdown</a>
      </p>`,
  });
}
