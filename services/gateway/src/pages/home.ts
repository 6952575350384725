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
      and execute their tools, through one API.
    </p>
    <ul>
      <li><a href="${DOCS_PATH}">API documentation</a>, to read and try</li>
      <li><a href="${OPENAPI_PATH}">OpenAPI document</a>, for programs</li>
      <li>
        Health: <a href="${LIVENESS_PATH}">liveness</a>,
        <a href="${READINESS_PATH}">readiness</a>
      </li>
    </ul>
  </main>`,
});

/** `GET /`: shows people who open the address in a browser where to continue. Programs get 404. */
export const homePage: Page = {
  path: '/',
  isSafe: true,
  isFor: (request) =>
    ['GET', 'HEAD'].includes(request.method) && request.accepts(['json', 'html']) === 'html',
  show: (_exchange, _request, response) => sendRendered(response, HOME),
};
