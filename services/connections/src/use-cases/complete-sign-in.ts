import type { AuthenticationMethod, OAuth2Scheme } from '@fairlead/connector-model/model';
import { CallFailure } from '@fairlead/connector-runtime/failure';
import { textOf } from '@fairlead/connector-runtime/templates';
import type { TokenClient, TokenSet } from '@fairlead/connector-runtime/token-client';
import { TokenError } from '@fairlead/connector-runtime/token-client';
import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { isGuid } from '@fairlead/service-kit/ids';
import type { Secret } from '@fairlead/service-kit/secret';
import type { AccountPermits } from '@fairlead/service-kit/permits/account-permits';
import { callCredential, keptTokens, secretTexts } from '../domain/credential.ts';
import type { FieldValues } from '../domain/credential.ts';
import { keptScopes } from '../domain/granted-scopes.ts';
import {
  captureCallback,
  captureTokenResponse,
  mergeValues,
  openedValues,
} from '../domain/sign-in-fields.ts';
import type { Capture } from '../domain/sign-in-fields.ts';
import type { RedeemableSignIn, SignInOutcome } from '../domain/sign-in.ts';
import {
  hashBinding,
  isExpectedIssuer,
  readCallback,
  signInCaller,
  signInFailed,
  stateExpired,
} from '../domain/sign-in.ts';
import {
  isClientRefusalCode,
  oauthClientIn,
  OWN_CLIENT_ID,
  ownMethodClient,
  withProviderFields,
  withScopesOf,
} from '../domain/oauth-client.ts';
import type { MethodClient } from '../domain/oauth-client.ts';
import { isAtItsAddress } from '../domain/provider-address.ts';
import { signInPermit } from '../domain/vendor-permits.ts';
import { vendorText } from '../domain/vendor-text.ts';
import type { Catalog } from '../ports/catalog.ts';
import { detachedContext } from '@fairlead/service-kit/context/detached-context';
import type { ConnectSessionStore } from '../ports/connect-session-store.ts';
import type { SignInAddresses } from '../domain/sign-in-addresses.ts';
import type { SignInStore } from '../ports/sign-in-store.ts';
import { isClientAt, schemeAt } from '../domain/mcp-sign-in.ts';
import { discoverOptions } from './discover-options.ts';
import { findClient } from './find-client.ts';
import { recordClientRefusal } from './record-client-refusal.ts';
import { suggestName } from './suggest-name.ts';
import { requireMethod } from '../domain/require-method.ts';

/** A vendor's callback, as the gateway received it. */
export interface CompleteSignInCommand {
  readonly state: string;
  readonly browserBinding: Secret;
  readonly callbackQuery: Secret;
  /** Last path component of the address at which the browser arrived; empty: the address for vendors of the catalogue. */
  readonly callbackSegment: string;
}

type CompleteSignInDeps = DepsOf<
  typeof findClient | typeof recordClientRefusal | typeof suggestName | typeof discoverOptions
> & {
  readonly catalog: Pick<Catalog, 'getConnector'>;
  readonly signIns: Pick<SignInStore, 'claim' | 'holdGrant' | 'complete' | 'fail'>;
  readonly connectSessions: Pick<ConnectSessionStore, 'saveLastError'>;
  readonly tokenClient: Pick<TokenClient, 'exchangeCode'>;
  readonly vendorPermits: Pick<AccountPermits, 'run'>;
  readonly addresses: SignInAddresses;
  readonly clock: Clock;
};

/** Longer than waiting for a permit and two calls to the vendor. */
const REDEMPTION_TIMEOUT_MS = 45_000;
const VENDOR_TIMEOUT_MS = 15_000;

/** Where a browser continues after the callback. */
export interface CompletedCallback {
  readonly applicationName: string;
  /** The connect session whose page continues. */
  readonly connectSessionId?: string;
  /** Why the session's sign-in failed; for people, without secrets. */
  readonly refusal?: string;
}

/** A sign-in that ended without a grant; `message` is for people and contains no secret. */
class SignInRefused extends Error {
  override readonly name = 'SignInRefused';
}

/**
 * Redeems the vendor's callback, once, for the browser that began the sign-in; returns the application's name. OAUTH_STATE_EXPIRED unless
 * the state is pending and bound to this browser. OAUTH_SIGN_IN_FAILED, which polling reports, too, if the vendor refused, its response is
 * unusable, or too many of the account's calls wait for vendors. In a connect session such a failure is not thrown: the session stores it
 * for its page.
 */
export async function completeSignIn(
  deps: CompleteSignInDeps,
  ctx: RequestContext,
  command: CompleteSignInCommand,
): Promise<CompletedCallback> {
  const { state, browserBinding } = command;
  const bindingHash = hashBinding(browserBinding);
  const signIn = isGuid(state)
    ? await deps.signIns.claim(ctx, state, bindingHash, deps.clock.now())
    : undefined;
  if (signIn === undefined) throw stateExpired();
  // The code works only once: from here on, a disconnecting browser must not abort.
  const person = { ...detachedContext(ctx, REDEMPTION_TIMEOUT_MS), caller: signInCaller(signIn) };
  const { applicationName, connectSessionId: sessionId } = signIn;
  try {
    const outcome = await deps.vendorPermits.run(
      signInPermit(signIn, signIn.authorizeUrl, person.signal),
      () => redeem(deps, person, signIn, command),
    );
    await deps.signIns.complete(person, signIn, outcome);
  } catch (error) {
    const refusal = refusalOf(error);
    await deps.signIns.fail(person, signIn, refusal ?? 'an internal error occurred; start a new sign-in');
    if (refusal === undefined) throw error;
    if (sessionId === null) throw signInFailed(refusal);
    await deps.connectSessions.saveLastError(person, signIn.accountId, sessionId, refusal, deps.clock.now());
    return { applicationName, connectSessionId: sessionId, refusal };
  }
  return { applicationName, ...(sessionId !== null && { connectSessionId: sessionId }) };
}

function refusalOf(error: unknown): string | undefined {
  if (error instanceof SignInRefused) return error.message;
  return error instanceof ApiError && error.code === 'RATE_LIMIT_EXCEEDED'
    ? 'too many calls of the account are in progress; start a new sign-in'
    : undefined;
}

async function redeem(
  deps: CompleteSignInDeps,
  ctx: RequestContext,
  signIn: RedeemableSignIn,
  { callbackQuery, callbackSegment }: CompleteSignInCommand,
): Promise<SignInOutcome> {
  const callback = readCallback(callbackQuery.reveal());
  const head = await deps.catalog.getConnector(ctx, signIn.applicationSlug);
  const method = requireMethod(head, signIn.authenticationId);
  const used = await clientOf(deps, ctx, signIn, method);
  const secrets = [
    signIn.codeVerifier.reveal(),
    ...secretTexts({ secretFields: signIn.given.secret, tokens: null }),
    ...(used?.secrets ?? []),
  ];
  // Checked first, because another server may also mix in an error.
  const arrivedAt = deps.addresses.redirectUriWith(callbackSegment);
  if (arrivedAt !== signIn.redirectUri || !isExpectedIssuer(callback.issuer, signIn)) {
    throw new SignInRefused('the response came from a different authorization server');
  }
  if (callback.kind === 'refused') {
    if (isClientRefusalCode(callback.code)) await forgetClient(deps, ctx, signIn);
    throw new SignInRefused(vendorText(callback.reason, secrets));
  }
  const { server } = signIn;
  const scheme =
    method.scheme.type === 'oauth2' ? schemeAt(withScopesOf(method.scheme, used), server) : undefined;
  const client = scheme && oauthClientIn(scheme, used?.fields ?? {});
  if (scheme === undefined || used === undefined || client === undefined) {
    throw new SignInRefused('the OAuth client of this sign-in is no longer available');
  }
  const fromCallback = captured(captureCallback({ head, method }, callback.parameters));
  const masked = [
    ...secrets,
    callback.code,
    ...secretTexts({ secretFields: fromCallback.secret, tokens: null }),
  ];
  const field = { ...openedValues(mergeValues(signIn.given, fromCallback)), ...used.fields };
  const granted = await asRefusal(masked, () =>
    recordClientRefusal(
      deps,
      ctx,
      { accountId: signIn.accountId, client: used, server: server ?? null, secrets: masked },
      () =>
        deps.tokenClient.exchangeCode(scheme, {
          accountId: signIn.accountId,
          client,
          values: { field },
          redirectUri: signIn.redirectUri,
          code: callback.code,
          codeVerifier: signIn.codeVerifier.reveal(),
          signal: AbortSignal.any([ctx.signal, AbortSignal.timeout(VENDOR_TIMEOUT_MS)]),
        }),
    ),
  );
  const fromResponse = captureTokenResponse({ head, method }, granted.raw);
  const values = mergeValues(fromCallback, fromResponse.values);
  const tokens = keptTokens(granted, null, deps.clock.now(), values);
  // Stored before the next steps: if one of them failed, nobody could revoke a grant that is not stored.
  await deps.signIns.holdGrant(ctx, signIn, tokens);
  captured(fromResponse);
  const credential = withProviderFields(
    callCredential(1, signIn.given.plain, { secretFields: signIn.given.secret, tokens }),
    used,
  );
  return {
    tokens,
    suggestedName: await suggestName(deps, ctx, signIn),
    grantedScopes: keptScopes(grantedScopes(granted, scheme), credential.secrets),
    fieldOptions: await asRefusal(credential.secrets, () =>
      discoverOptions(deps, ctx, signIn.accountId, { head, method }, credential),
    ),
  };
}

/** The server no longer knows the client, so the next sign-in registers another one. */
async function forgetClient(
  deps: CompleteSignInDeps,
  ctx: RequestContext,
  { server, accountId }: RedeemableSignIn,
): Promise<void> {
  if (server !== undefined)
    await deps.registeredClients.forget(ctx, accountId, server.issuer, server.clientId);
}

/** The client with which the sign-in began; none if its auth provider lost it, or now leads to another address or server. */
async function clientOf(
  deps: CompleteSignInDeps,
  ctx: RequestContext,
  signIn: RedeemableSignIn,
  method: AuthenticationMethod,
): Promise<MethodClient | undefined> {
  if (signIn.server === undefined || signIn.authProviderId !== OWN_CLIENT_ID) {
    const found = await findClient(deps, ctx, { ...signIn, method });
    const { server } = signIn;
    if (!isAtItsAddress(signIn, found)) return undefined;
    return found !== undefined && server !== undefined && !isClientAt(found, server.issuer)
      ? undefined
      : found;
  }
  if (method.scheme.type !== 'oauth2') return undefined;
  const { clientSecret = '' } = signIn.given.secret.reveal();
  const { clientId } = signIn.server;
  return ownMethodClient(method.scheme, { clientId, clientSecret: textOf(clientSecret) });
}

/** Values sent by the vendor; if one is missing or invalid, nothing of the sign-in is kept. */
function captured({ values, faults }: Capture): FieldValues {
  if (faults.length > 0) throw new SignInRefused(faults.join('; '));
  return values;
}

/** If a vendor names no scopes, it granted the requested ones. Source: RFC 6749 section 5.1. */
function grantedScopes(granted: TokenSet, scheme: OAuth2Scheme): readonly string[] {
  return granted.scopes.length > 0 ? granted.scopes : scheme.scopes;
}

async function asRefusal<T>(secrets: readonly string[], call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof TokenError || error instanceof CallFailure)) throw error;
    throw new SignInRefused(vendorText(error.message, secrets));
  }
}
