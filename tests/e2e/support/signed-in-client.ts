import { FormBrowser } from '@fairlead-services/identity/testing/form-browser';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import type { OAuthClientProvider } from '@modelcontextprotocol/client';

const CALLBACK = 'http://127.0.0.1:8999/callback';

/** A person with an e-mail address and a password. */
interface Person {
  readonly email: string;
  readonly password: string;
}

/** An MCP client that only knows an address: it registers itself, and the person signs in and allows access. */
export async function signedInClient(url: string, person: Person): Promise<Client> {
  let client: Awaited<ReturnType<OAuthClientProvider['clientInformation']>>;
  let tokens: Awaited<ReturnType<OAuthClientProvider['tokens']>>;
  let discovered: Awaited<ReturnType<Required<OAuthClientProvider>['discoveryState']>>;
  let verifier = '';
  let answer: URL | undefined;
  const authProvider: OAuthClientProvider = {
    redirectUrl: CALLBACK,
    clientMetadata: { client_name: 'MCP client', redirect_uris: [CALLBACK] },
    clientInformation: () => client,
    saveClientInformation: (registered) => {
      client = registered;
    },
    tokens: () => tokens,
    saveTokens: (issued) => {
      tokens = issued;
    },
    redirectToAuthorization: async (address) => {
      answer = await allow(address, person);
    },
    saveCodeVerifier: (created) => {
      verifier = created;
    },
    codeVerifier: () => verifier,
    discoveryState: () => discovered,
    saveDiscoveryState: (found) => {
      discovered = found;
    },
  };
  const connect = async (transport: StreamableHTTPClientTransport): Promise<Client> => {
    const connected = new Client({ name: 'mcp-guide', version: '1' });
    await connected.connect(transport);
    return connected;
  };
  const first = new StreamableHTTPClientTransport(new URL(url), { authProvider });
  try {
    await connect(first);
  } catch (error) {
    if (!(error instanceof UnauthorizedError) || answer === undefined) throw error;
    await first.finishAuth(answer.searchParams);
    return connect(new StreamableHTTPClientTransport(new URL(url), { authProvider }));
  }
  throw new Error('The server admitted a client without a credential.');
}

/** Acts as the person in the browser. Returns the address to which the authorization server redirects. */
async function allow(address: URL, person: Person): Promise<URL> {
  const browser = new FormBrowser({ stopAt: ({ origin }) => origin === new URL(CALLBACK).origin });
  await browser.open(address);
  const redirected = (await browser.press('Sign in', { ...person })) ?? (await browser.press('Allow'));
  if (redirected === undefined) throw new Error(`The sign-in ended at ${browser.page.url.pathname}.`);
  return redirected;
}
