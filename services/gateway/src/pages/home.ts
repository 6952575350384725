import type { Page } from '@fairlead/service-kit/http/app';
import { LIVENESS_PATH, READINESS_PATH } from '@fairlead/service-kit/http/health-pages';
import { html, renderPage, sendRendered } from '@fairlead/service-kit/http/html';
import { CARD_STYLE } from './card-style.ts';
import { DOCS_PATH, OPENAPI_PATH } from './docs.ts';

const HOME = renderPage({
  status: 200,
  title: 'Fairlead',
  style: CARD_STYLE,
  body: html`<main>
    <h1>Fairlead</h1>
    <p>
      This is an installation of Fairlead, the open integration platform: browse applications, connect them
      and execute their tools, by one API.
    </p>
    <ul>
      <li><a href="${DOCS_PATH}">API documentation</a>: read it and try it</li>
      <li><a href="${OPENAPI_PATH}">OpenAPI document</a>, for programs</li>
      <li>
        Health: <a href="${LIVENESS_PATH}">the process lives</a>,
        <a href="${READINESS_PATH}">it takes requests</a>
      </li>
    </ul>
  </main>`,
});

/** `GET /`: tells people who find the address in a browser where to go on. To programs there is nothing here: 404. */
export const homePage: Page = {
  path: '/',
  isSafe: true,
  isFor: (request) =>
    ['GET', 'HEAD'].includes(request.method) && request.accepts(['json', 'html']) === 'html',
  show: (_exchange, _request, response) => sendRendered(response, HOME),
};
