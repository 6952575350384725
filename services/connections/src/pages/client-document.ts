import type { Page } from '@fairlead/service-kit/http/app';
import { sendJson } from '@fairlead/service-kit/http/reply';

/** Path of the document, below the public URL; the connections service uses its address as client id. */
const PATH = '/connect/client.json';

/**
 * The document in which Fairlead describes itself as an OAuth client of other servers, for those that take the address of such a document as a
 * client id (OAuth Client ID Metadata Document): authorization servers of MCP servers. A public client: whoever has the
 * redirect URI could not keep a secret better than PKCE does. A response at the redirect URI is redeemed only if it names the issuer
 * that was asked, because every server takes this document.
 * @param publicUrl base address as clients see it, without a trailing slash
 */
export function clientDocumentPage(publicUrl: string): Page {
  const document = {
    client_id: `${publicUrl}${PATH}`,
    client_name: 'Fairlead',
    client_uri: publicUrl,
    redirect_uris: [`${publicUrl}/connect/callback/client`],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  return {
    path: PATH,
    isSafe: true,
    isCrossOrigin: true,
    show: (_exchange, _request, response) => {
      response.setHeader('cache-control', 'public, max-age=3600');
      sendJson(response, 200, document);
    },
  };
}
