import { Html, html, inlineHash, renderUnder } from '@fairlead/service-kit/http/html';
import type { RenderedPage } from '@fairlead/service-kit/http/html';
import { DOCS_CLIENT_ID, DOCS_SIGNED_IN_PATH } from '@fairlead/access/built-in-clients';

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
 * The page of the API reference. Neither the library nor what it renders calls any origin but our own: the
 * policy forbids it, and the library's own services are turned off.
 */
export function renderDocsPage(o: DocsPageOptions): RenderedPage {
  // Set before the library loads, so that its validator does not test whether it may compile code, which the policy forbids.
  const prepare = 'globalThis.__zod_globalConfig={jitless:true}';
  const start = `Scalar.createApiReference('#reference',${embedded(referenceConfig(o))})`;
  return renderUnder(
    [
      "default-src 'none'",
      `script-src 'self' ${inlineHash(prepare)} ${inlineHash(start)}`,
      // The library sets style attributes, which neither a hash nor a nonce can allow.
      "style-src 'unsafe-inline'",
      'img-src data:',
      "connect-src 'self'",
    ],
    {
      status: 200,
      title: o.title,
      // No icon: otherwise browsers request /favicon.ico.
      head: html`<link rel="icon" href="data:," />`,
      body: html`<div id="reference"></div>
        <noscript>
          This page needs JavaScript. <a href="${o.documentPath}">The OpenAPI document</a> has the same
          content.
        </noscript>
        ${new Html(`<script>${prepare}</script><script src="${o.scriptPath}"></script><script>${start}</script>`)}`,
    },
  );
}

/** JSON within a script element, which `</script>` in a text would end. */
function embedded(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', String.raw`\u003c`);
}

/** Settings of the library (`ApiReferenceConfiguration`); its types would add a quarter to what the compiler reads. */
function referenceConfig({ documentPath, publicUrl }: DocsPageOptions): unknown {
  return {
    url: documentPath,
    documentDownloadType: 'direct',
    modelsSectionLabel: 'Schemas',
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    customCss: CONTRAST,
    // Everything that links to or calls services of the library's makers.
    telemetry: false,
    withDefaultFonts: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: 'never',
    // Credentials stay in the memory of the page.
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

/** The library's colours that miss the WCAG AA contrast of 4.5, made darker or lighter. */
const CONTRAST = [
  '.light-mode{--scalar-color-2:#565656;--scalar-color-3:#646464;--scalar-color-blue:#0062a0;',
  '--scalar-color-green:#006c44;--scalar-color-orange:#a63c00;--scalar-color-red:#c4000a;--scalar-color-yellow:#7a5a00}',
  '.dark-mode{--scalar-color-3:#9c9c9c;--scalar-color-red:#ff6b6b}',
].join('');
