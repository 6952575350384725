import type { TokenClient } from '@fairlead/connector-runtime/token-client';
import { TokenError } from '@fairlead/connector-runtime/token-client';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { detachedContext } from '@fairlead/service-kit/context/detached-context';
import type { AccountPermits } from '@fairlead/service-kit/permits/account-permits';
import { isAtItsAddress } from '../domain/provider-address.ts';
import { secretTexts } from '../domain/credential.ts';
import { oauthClientIn } from '../domain/oauth-client.ts';
import type { StartedSignIn } from '../domain/sign-in.ts';
import { signInCaller, signInFailed } from '../domain/sign-in.ts';
import { openedValues } from '../domain/sign-in-fields.ts';
import { SHORT_WAIT_MS, signInPermit } from '../domain/vendor-permits.ts';
import { vendorText } from '../domain/vendor-text.ts';
import type { Catalog } from '../ports/catalog.ts';
import { findClient } from './find-client.ts';
import { recordClientRefusal } from './record-client-refusal.ts';
import { requireMethod } from '../domain/require-method.ts';

type PushAuthorizationDeps = DepsOf<typeof findClient | typeof recordClientRefusal> & {
  readonly catalog: Pick<Catalog, 'getConnector'>;
  readonly tokenClient: Pick<TokenClient, 'pushAuthorization'>;
  readonly vendorPermits: Pick<AccountPermits, 'run'>;
};

const TIMEOUT_MS = 15_000;

/**
 * Pushes the parameters of a sign-in to the vendor, and returns the address for the browser. Called when the browser is about to go there,
 * because the vendor keeps them for about a minute. OAUTH_SIGN_IN_FAILED if the vendor refuses; the sign-in stays pending.
 */
export async function pushAuthorization(
  deps: PushAuthorizationDeps,
  gateway: RequestContext,
  signIn: StartedSignIn,
): Promise<string> {
  const { accountId } = signIn;
  const ctx = { ...detachedContext(gateway, TIMEOUT_MS + SHORT_WAIT_MS), caller: signInCaller(signIn) };
  const head = await deps.catalog.getConnector(ctx, signIn.applicationSlug);
  const method = requireMethod(head, signIn.authenticationId);
  const used = await findClient(deps, ctx, { ...signIn, method });
  const scheme = method.scheme.type === 'oauth2' ? method.scheme : undefined;
  const client = scheme && oauthClientIn(scheme, used?.fields ?? {});
  if (scheme === undefined || used === undefined || client === undefined || !isAtItsAddress(signIn, used)) {
    throw signInFailed('the OAuth client of this sign-in is no longer available');
  }
  const secrets = [...secretTexts({ secretFields: signIn.given.secret, tokens: null }), ...used.secrets];
  const push = (): Promise<string> =>
    deps.tokenClient.pushAuthorization(scheme, {
      accountId,
      client,
      values: { field: { ...openedValues(signIn.given), ...used.fields } },
      url: signIn.authorizeUrl,
      signal: AbortSignal.any([ctx.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
  try {
    return await deps.vendorPermits.run(signInPermit(signIn, signIn.authorizeUrl, ctx.signal), () =>
      recordClientRefusal(deps, ctx, { accountId, client: used, server: null, secrets }, push),
    );
  } catch (error) {
    throw error instanceof TokenError ? signInFailed(vendorText(error.message, secrets)) : error;
  }
}
