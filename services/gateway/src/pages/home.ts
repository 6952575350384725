import type { Page } from '@fairlead/service-kit/http/app';
import { LIVENESS_PATH, READINESS_PATH } from '@fairlead/service-kit/http/health-pages';
import { cardPage } from '@fairlead/service-kit/http/card-page';
import { html, sendRendered } from '@fairlead/service-kit/http/html';
import { DOCS_PATH, OPENAPI_PATH } from './docs.ts';

const HOME = cardPage({
  title: 'Welcome',
  content: html`<p>
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
    </ul>`,
});

/** `GET /`: shows people who open the address in a browser where to continue. Programs get 404. */
export const homePage: Page = {
  path: '/',
  isSafe: true,
  isFor: (request) =>
    ['GET', 'HEAD'].includes(request.method) && request.accepts(['json', 'html']) === 'html',
  show: (_exchange, _request, response) => sendRendered(response, HOME),
};
