import { Html, html, inlineHash, renderUnder } from '@fairlead/pages/html';
import type { RenderedPage } from '@fairlead/pages/html';
import { DOCS_CLIENT_ID, DOCS_SIGNED_IN_PATH } from '@fairlead/access/built-in-clients';
import { LLMS_PATH } from './addresses.ts';
import { NAVIGATION_STYLE, SITE_NAVIGATION } from './site-page.ts';

export interface DocsPageOptions {
  readonly title: string;
  /** Address of the OpenAPI document, on our own origin. */
  readonly documentPath: string;
  /** Address of the library, on our own origin. */
  readonly scriptPath: string;
  /** Base address of the API as clients see it. */
  readonly publicUrl: string;
}

/**
 * The page of the API reference. Neither the library nor its output calls any origin but ours: the policy forbids it, and the library's own
 * services are turned off.
 */
export function renderDocsPage(o: DocsPageOptions): RenderedPage {
  // Set before the library loads: otherwise its validator tests whether it may compile code, which the policy forbids.
  const prepare = 'globalThis.__zod_globalConfig={jitless:true}';
  const start = startScript(referenceConfig(o));
  return renderUnder(
    [
      "default-src 'none'",
      `script-src 'self' ${inlineHash(prepare)} ${inlineHash(start)}`,
      // Inline styles are allowed, because the library sets style attributes, which neither a hash nor a nonce can allow.
      "style-src 'unsafe-inline'",
      "connect-src 'self'",
    ],
    {
      status: 200,
      title: o.title,
      images: ['data:'],
      head: new Html(`<style>${HEADER}</style>`),
      body: html`<header class="top">
          ${SITE_NAVIGATION}
          <label
            ><input type="checkbox" id="${KEEP_ID}" autocomplete="off" /> Keep the API key in this tab</label
          >
        </header>
        <div id="reference"></div>
        <noscript>
          <p>
            This page needs JavaScript. <a href="${o.documentPath}">The OpenAPI document</a> has the same
            content, and <a href="${LLMS_PATH}">llms.txt</a> links to all texts.
          </p>
        </noscript>
        ${new Html(`<script>${prepare}</script><script src="${o.scriptPath}"></script><script>${start}</script>`)}`,
    },
  );
}

const KEEP_ID = 'keep-key';

/**
 * Starts the library. While the box is ticked, the API key is kept in the tab's session storage and entered again after a reload; nothing
 * else is kept. `/docs?sign-in` starts with the sign-in instead of the key.
 */
function startScript(config: unknown): string {
  return `const config = ${embedded(config)};
const place = 'fairlead-docs-api-key';
const box = document.getElementById('${KEEP_ID}');
const kept = sessionStorage.getItem(place);
box.checked = kept !== null;
if (kept) config.authentication.securitySchemes.apiKey = { value: kept };
if (location.search === '?sign-in') config.authentication.preferredSecurityScheme = 'oauth2';
config.plugins = [() => ({ name: 'keep-key', extensions: [], hooks: { onInit: ({ auth }) => {
  const enteredKey = () => Object.values(auth.export())
    .map(({ secrets }) => secrets.apiKey?.['x-scalar-secret-token']).find(Boolean) ?? '';
  const keep = () => {
    if (box.checked) sessionStorage.setItem(place, enteredKey());
    else sessionStorage.removeItem(place);
  };
  box.addEventListener('change', keep);
  document.addEventListener('input', () => setTimeout(keep));
  addEventListener('pagehide', keep);
} } })];
Scalar.createApiReference('#reference', config);`;
}

/** JSON that is safe within a script element: `</script>` in a text would end it. */
function embedded(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', String.raw`\u003c`);
}

/** Settings of the library (`ApiReferenceConfiguration`, whose types would add a quarter to the compiler's work). */
function referenceConfig({ documentPath, publicUrl }: DocsPageOptions): unknown {
  return {
    url: documentPath,
    documentDownloadType: 'direct',
    modelsSectionLabel: 'Schemas',
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    customCss: CONTRAST,
    // Hides everything that links to or calls services of the library's makers.
    telemetry: false,
    withDefaultFonts: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: 'never',
    // Off: the library would store credentials, tokens included, permanently in the browser.
    persistAuth: false,
    authentication: {
      preferredSecurityScheme: 'apiKey',
      securitySchemes: {
        oauth2: {
          flows: {
            authorizationCode: {
              'x-scalar-client-id': DOCS_CLIENT_ID,
              'x-scalar-redirect-uri': publicUrl + DOCS_SIGNED_IN_PATH,
              'x-usePkce': 'SHA-256',
            },
          },
        },
      },
    },
  };
}

/** Corrects the library's colours that miss the WCAG AA contrast of 4.5. */
const CONTRAST = [
  '.light-mode{--scalar-color-2:#565656;--scalar-color-3:#646464;--scalar-color-blue:#0062a0;',
  '--scalar-color-green:#006c44;--scalar-color-orange:#a63c00;--scalar-color-red:#c4000a;--scalar-color-yellow:#7a5a00}',
  '.dark-mode{--scalar-color-3:#9c9c9c;--scalar-color-red:#ff6b6b}',
].join('');

/** Height of the bar above the reference, which the library leaves free. */
const HEADER = `:root{--scalar-custom-header-height:3rem;--scalar-y-offset:3rem}
body{margin:0}
.top{position:sticky;top:0;z-index:11;box-sizing:border-box;height:3rem;display:flex;align-items:center;gap:.25rem 1.25rem;padding:0 1rem;font:.875rem/1.25 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;color:var(--scalar-color-1);background:var(--scalar-background-1,Canvas);border-bottom:1px solid var(--scalar-border-color,#8888)}
.top a{color:inherit}
.top nav{display:flex;gap:1rem;flex:1}
.top label{display:flex;align-items:center;gap:.375rem}
.top :focus-visible{outline:2px solid;outline-offset:2px}
${NAVIGATION_STYLE}
noscript p{padding:1rem}
@media(max-width:40rem){.top .brand span,.top nav a[href="/docs"]{display:none}}`;
