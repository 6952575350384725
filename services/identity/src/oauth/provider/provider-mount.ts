import type { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import type { Mount } from '@fairlead/service-kit/http/app';
import { isFromBrowser } from '@fairlead/service-kit/http/browser-request';
import { allowAnyOrigin, answerPreflight } from '@fairlead/service-kit/http/cross-origin';
import type { Exchange } from '@fairlead/service-kit/http/exchange';
import { sendRendered } from '@fairlead/pages/html';
import type { RenderedPage } from '@fairlead/pages/html';
import { NOT_FOUND_PAGE } from '@fairlead/pages/not-found-page';
import { sendJson } from '@fairlead/service-kit/http/reply';
import type { Request, Response } from 'express';
import type { Provider } from 'oidc-provider';
import { errors } from 'oidc-provider';
import { OAUTH_PATH, OAUTH_TIMEOUT_MS } from '@fairlead/access/resources';
import type { CurrentRequest } from '../current-request.ts';
import type { ServerPages } from '../interactions.ts';
import { isAddress, routeOf } from './addresses.ts';
import { ROUTES } from './routes.ts';
import type { AnonymousLimits } from './limits.ts';
import { withOurResources, withPreparedBody } from './prepare-body.ts';
import type { PrepareBodyDeps } from './prepare-body.ts';
import { toProviderRequest } from './provider-request.ts';
import { MAX_BODY_BYTES } from './request-body.ts';

/** The dependencies of the mount. */
export interface ProviderMountDeps extends PrepareBodyDeps {
  readonly provider: () => Provider;
  readonly pages: ServerPages;
  readonly requests: AsyncLocalStorage<CurrentRequest>;
  readonly addressOf: (request: IncomingMessage) => string;
  readonly limits: Pick<AnonymousLimits, 'admitRegistration' | 'admitStart'>;
}

/** Serves one of the library's paths, given below the issuer, whatever path the request came to. */
export type ServeProvider = (
  exchange: Exchange,
  request: Request,
  response: Response,
  target: string,
) => Promise<void>;

/** Creates the function that serves the library's paths. */
export function createServeProvider(deps: ProviderMountDeps): ServeProvider {
  const issuer = new URL(deps.resources.issuer);
  return async (exchange, request, response, target) => {
    const [path = ''] = target.split('?', 1);
    const parameters = withOurResources(new URLSearchParams(target.slice(path.length)), deps.resources);
    const linkedCode = path === ROUTES.code_verification ? takeUserCode(request, parameters) : undefined;
    const query = parameters.toString();
    const address = deps.addressOf(request);
    response.setHeader('x-content-type-options', 'nosniff');
    response.setHeader('referrer-policy', 'no-referrer');
    try {
      if (path === ROUTES.registration) {
        allowAnyOrigin(response);
        if (request.method === 'OPTIONS') return answerPreflight(response, ['POST', 'OPTIONS']);
        await deps.limits.admitRegistration(address, response);
      }
      if (STARTING_PATHS.has(path)) await deps.limits.admitStart(address, response);
      await withPreparedBody(deps, exchange, request, path, async (body) => {
        const prepared = toProviderRequest(request, {
          issuer,
          target: query === '' ? path : `${path}?${query}`,
          body,
        });
        await deps.requests.run({ exchange, address, path, linkedCode }, () =>
          deps.provider().callback()(prepared, response),
        );
      });
    } catch (error) {
      // Refused before the request reached the library.
      if (!(error instanceof errors.OIDCProviderError)) throw error;
      if (path === ROUTES.authorization) return sendRendered(response, refusalOf(deps, exchange, error));
      sendJson(response, error.statusCode, {
        error: error.error,
        error_description: error.error_description,
      });
    }
  };
}

/** Serves the pages first, then the library. */
export function createProviderMount(
  { pages, requests, addressOf }: Pick<ProviderMountDeps, 'pages' | 'requests' | 'addressOf'>,
  serve: ServeProvider,
): Mount {
  return {
    prefix: OAUTH_PATH,
    timeoutMs: OAUTH_TIMEOUT_MS,
    maxBodyBytes: MAX_BODY_BYTES,
    async handle(exchange, request, response) {
      const [path = ''] = request.url.split('?', 1);
      const current = { exchange, address: addressOf(request), path, linkedCode: undefined };
      if (await requests.run(current, () => pages.handle(exchange, request, response))) return;
      if (!isAddress(path) && isFromBrowser(request)) return sendRendered(response, NOT_FOUND_PAGE);
      exchange.route = routeOf(path, request.method, response);
      await serve(exchange, request, response, request.url);
    },
  };
}

/** Paths where the library stores something for an anonymous caller. */
const STARTING_PATHS: ReadonlySet<string> = new Set([ROUTES.authorization, ROUTES.device_authorization]);

/** The error page: the caller is a browser. */
function refusalOf(
  { pages }: ProviderMountDeps,
  { requestId }: Exchange,
  { statusCode: status, error, error_description: description }: errors.OIDCProviderError,
): RenderedPage {
  return pages.showError({ status, error, description, requestId });
}

/** The link may contain the code: the page shows it for comparison, and nothing is sent before the person agrees. */
function takeUserCode(request: Request, parameters: URLSearchParams): string | undefined {
  if (request.method === 'POST') return undefined;
  const [userCode] = parameters.getAll('user_code');
  parameters.delete('user_code');
  return userCode;
}
