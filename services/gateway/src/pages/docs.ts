import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from '@fairlead/service-kit/http/app';
import { cardPage } from '@fairlead/pages/card-page';
import { html } from '@fairlead/pages/html';
import { sendRedirect } from '@fairlead/service-kit/http/reply';
import type { Closers } from '@fairlead/service-kit/lifecycle/lifecycle';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { DOCS_SIGNED_IN_PATH } from '@fairlead/access/built-in-clients';
import type { OpenApiDocument } from '@fairlead/rest-kit/openapi/document';
import { DOCS_PATH, GUIDES_PATH, OPENAPI_PATH } from './addresses.ts';
import { openAsset } from './asset.ts';
import { renderDocsPage } from './docs-page.ts';
import { guidePages } from './guides/guide-pages.ts';
import { loadGuides } from './guides/load-guides.ts';
import { homePage } from './home.ts';
import { openIcons } from './icons.ts';
import { llmsPages } from './llms.ts';
import { publishedHtml, publishedPage } from './published.ts';

/**
 * All pages for readers: the overview, the OpenAPI document, the API reference, in which each operation can be tried, the guides, and their
 * forms for language models. Rejects if the library or a guide is not installed.
 */
export async function openDocsPages(o: {
  readonly document: OpenApiDocument;
  /** Base address as clients see it. */
  readonly publicUrl: string;
  readonly log: Logger;
  readonly closers: Closers;
}): Promise<readonly Page[]> {
  const { guides, pictures } = await loadGuides(o);
  const icons = await openIcons();
  const library = await openAsset({
    file: join(dirname(fileURLToPath(import.meta.resolve('@scalar/api-reference'))), 'browser/standalone.js'),
    folder: `${DOCS_PATH}/assets`,
    contentType: 'text/javascript; charset=utf-8',
    log: o.log,
  });
  o.closers.add('docs page', library);
  const { title, version } = o.document.info;
  const reference = renderDocsPage({
    title: `${title} ${version}`,
    documentPath: OPENAPI_PATH,
    scriptPath: library.page.path,
    publicUrl: o.publicUrl,
  });
  return [
    homePage(o.publicUrl, guides),
    ...icons,
    publishedPage(OPENAPI_PATH, {
      contentType: 'application/json; charset=utf-8',
      body: JSON.stringify(o.document),
    }),
    publishedHtml(DOCS_PATH, reference),
    withoutSlash(DOCS_PATH),
    library.page,
    publishedHtml(DOCS_SIGNED_IN_PATH, SIGNED_IN),
    ...guidePages(guides, pictures),
    withoutSlash(GUIDES_PATH),
    ...llmsPages(guides, o.publicUrl),
  ];
}

/** Redirects `<path>/` to the page. */
function withoutSlash(path: `/${string}`): Page {
  return {
    path: `${path}/`,
    isSafe: true,
    show: (_exchange, _request, response) => sendRedirect(response, path),
  };
}

/** The page on which a sign-in from the reference ends, in a window that the reference reads and closes. */
const SIGNED_IN = cardPage({
  title: 'Back to the documentation',
  content: html`<p>Continue in the page that opened this window. If this window stays open, close it.</p>`,
});
