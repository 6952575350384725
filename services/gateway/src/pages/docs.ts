import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from '@fairlead/service-kit/http/app';
import { cardPage } from '@fairlead/service-kit/http/card-page';
import { html, sendRendered } from '@fairlead/service-kit/http/html';
import type { RenderedPage } from '@fairlead/service-kit/http/html';
import { sendJson } from '@fairlead/service-kit/http/reply';
import type { Closers } from '@fairlead/service-kit/lifecycle/lifecycle';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { DOCS_SIGNED_IN_PATH } from '@fairlead/access/built-in-clients';
import type { OpenApiDocument } from '@fairlead/rest-kit/openapi/document';
import { openAsset } from './asset.ts';
import { renderDocsPage } from './docs-page.ts';

/** Path of the API reference for people. */
export const DOCS_PATH = '/docs';

/** Path of the OpenAPI document, for programs. */
export const OPENAPI_PATH = '/openapi.json';

/**
 * The OpenAPI document, and the API reference that the browser renders from it, where each operation can be tried. Rejects
 * if the library is not installed.
 */
export async function openDocsPages(o: {
  readonly document: OpenApiDocument;
  /** Base address as clients see it. */
  readonly publicUrl: string;
  readonly log: Logger;
  readonly closers: Closers;
}): Promise<readonly Page[]> {
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
    {
      path: OPENAPI_PATH,
      isSafe: true,
      show: (_exchange, _request, response) => sendJson(response, 200, o.document),
    },
    fixedPage(DOCS_PATH, reference),
    library.page,
    fixedPage(DOCS_SIGNED_IN_PATH, SIGNED_IN),
  ];
}

function fixedPage(path: `/${string}`, rendered: RenderedPage): Page {
  return {
    path,
    isSafe: true,
    show: (_exchange, _request, response) => sendRendered(response, rendered),
  };
}

/** Where a sign-in from the reference returns to, in its own window, which the reference reads and closes. */
const SIGNED_IN = cardPage({
  title: 'Back to the documentation',
  content: html`<p>Continue in the page that opened this window. If this window stays open, close it.</p>`,
});
