import { asApiError } from '@fairlead/service-kit/http/reply';
import type { Mount } from '@fairlead/service-kit/http/app';
import { cardPage } from '@fairlead/pages/card-page';
import { allowAnyOrigin } from '@fairlead/service-kit/http/cross-origin';
import { html, sendRendered } from '@fairlead/pages/html';
import type { RenderedPage } from '@fairlead/pages/html';
import type { ServiceProxy } from '@fairlead/service-proxy/service-proxy';

const PREFIX = '/connect';
/** Paths that scripts of other sites read; they must be able to read when to retry. */
const FOR_SCRIPTS: ReadonlySet<string> = new Set(['/connect/status', '/connect/client.json']);

/**
 * Forwards everything below `/connect` to the connections service. While it does not answer, people get a page that asks them to try again,
 * and scripts get the error envelope, whatever their origin.
 */
export function connectMount(proxy: Pick<ServiceProxy, 'mount'>): Mount {
  const mount = proxy.mount(PREFIX);
  return {
    ...mount,
    async handle(exchange, request, response) {
      try {
        await mount.handle(exchange, request, response);
      } catch (thrown) {
        if (asApiError(thrown).code !== 'UNAVAILABLE') throw thrown;
        const [path = ''] = request.originalUrl.split('?');
        if (FOR_SCRIPTS.has(path)) {
          allowAnyOrigin(response);
          throw thrown;
        }
        exchange.log.error(
          { err: thrown, route: exchange.route },
          'a request for a connect page could not be forwarded',
        );
        sendRendered(response, awayPage(exchange.requestId));
      }
    },
  };
}

function awayPage(requestId: string): RenderedPage {
  return cardPage({
    status: 503,
    title: 'Please try again',
    content: html`<p>Part of the system is not responding at the moment.</p>
      <p><small>Reference: ${requestId}</small></p>`,
  });
}
