import type { Page } from '@fairlead/service-kit/http/app';
import { isFromBrowser } from '@fairlead/service-kit/http/browser-request';
import { LIVENESS_PATH, READINESS_PATH } from '@fairlead/service-kit/http/health-pages';
import { html, sendRendered } from '@fairlead/pages/html';
import { DOCS_PATH, DOCS_SIGN_IN, GUIDES_PATH, LLMS_PATH, OPENAPI_PATH } from './addresses.ts';
import type { Guide } from './guides/load-guides.ts';
import { sitePage } from './site-page.ts';

/** `GET /`: shows people who open the address in a browser where to begin. Programs get 404. */
export function homePage(publicUrl: string, guides: readonly Guide[]): Page {
  const page = sitePage({
    title: 'Welcome',
    content: html`<h1>Welcome to Fairlead</h1>
      <p>
        This is an installation of Fairlead, the open integration platform. An application or an AI agent
        browses a catalogue of applications, connects to them and executes their tools, through one API.
      </p>
      <p class="actions pair">
        <a class="button" href="${DOCS_SIGN_IN}">Sign in and try the API</a>
        <a class="button quiet" href="${GUIDES_PATH}">Read the guides</a>
      </p>
      <h2 id="key">Get a key</h2>
      <p>
        Every call carries an API key. On the machine where <code>npm start</code> runs, the terminal shows
        the first one. To create another, run these in that folder:
      </p>
      <pre tabindex="0"><code>npx fairlead login --url ${publicUrl}
npx fairlead keys create --name "My first key"</code></pre>
      <p>
        In an installation of somebody else, ask an owner or admin of your account for a key, or sign in above
        without one.
      </p>
      <h2 id="first-call">Make the first call</h2>
      <pre tabindex="0"><code>export FAIRLEAD_API_KEY='paste your key here'
curl -H "x-api-key: $FAIRLEAD_API_KEY" ${publicUrl}/v1/auth/whoami</code></pre>
      <p>The answer names your account and user. Then see which tools there are:</p>
      <pre
        tabindex="0"
      ><code>curl -H "x-api-key: $FAIRLEAD_API_KEY" "${publicUrl}/v1/tools?top=10"</code></pre>
      <h2 id="guides">Read on</h2>
      <ul>
        <li><a href="${DOCS_PATH}">API reference</a>: every operation, to read and try</li>
        ${guides.map(({ path, title, summary }) => html`<li><a href="${path}">${title}</a>: ${summary}</li>`)}
        <li>
          <a href="${OPENAPI_PATH}">OpenAPI document</a> and <a href="${LLMS_PATH}">llms.txt</a>, for programs
          and language models
        </li>
      </ul>
      <p class="end">
        <small
          >Health: <a href="${LIVENESS_PATH}">liveness</a>, <a href="${READINESS_PATH}">readiness</a></small
        >
      </p>`,
  });
  return {
    path: '/',
    isSafe: true,
    isFor: isFromBrowser,
    show: (_exchange, _request, response) => sendRendered(response, page),
  };
}
