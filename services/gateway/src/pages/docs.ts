import type { Page } from '@fairlead/service-kit/http/app';
import { sendPage } from '@fairlead/service-kit/http/html';
import { sendJson } from '@fairlead/service-kit/http/reply';
import type { OpenApiDocument } from '../openapi/document.ts';
import { DOCS_STYLE, renderDocs } from './docs-html.ts';

/** `/openapi.json`, for programs, and `/docs`, the same for people: rendered here, so that it works offline and without scripts. */
export function docsPages(document: OpenApiDocument): readonly Page[] {
  const body = renderDocs(document);
  return [
    {
      path: '/openapi.json',
      isSafe: true,
      show: (_exchange, _request, response) => sendJson(response, 200, document),
    },
    {
      path: '/docs',
      isSafe: true,
      show: (_exchange, _request, response) =>
        sendPage(response, {
          status: 200,
          title: `${document.info.title} ${document.info.version}`,
          style: DOCS_STYLE,
          body,
        }),
    },
  ];
}
