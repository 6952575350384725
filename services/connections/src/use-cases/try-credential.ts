import type { AuthenticationMethod, ConnectorHead } from '@fairlead/connector-model/model';
import type { ConnectorRuntime } from '@fairlead/connector-runtime/runtime';
import type { TokenClient } from '@fairlead/connector-runtime/token-client';
import { TokenError } from '@fairlead/connector-runtime/token-client';
import { overloaded } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import { Secret } from '@fairlead/service-kit/secret';
import type { AccountPermits, PermitCall } from '@fairlead/service-kit/permits/account-permits';
import type { Tokens } from '../domain/credential.ts';
import { callCredential, keptTokens, NO_VALUES } from '../domain/credential.ts';
import { captureTokenResponse, mergeValues } from '../domain/sign-in-fields.ts';
import type { MethodClient } from '../domain/oauth-client.ts';
import {
  oauthClientIn,
  unattendedRefusal,
  withProviderFields,
  withScopesOf,
} from '../domain/oauth-client.ts';
import { isAtItsAddress } from '../domain/provider-address.ts';
import { vendorText } from '../domain/vendor-text.ts';
import type { NewCredential } from '../ports/connection-store.ts';
import { findClient } from './find-client.ts';
import { recordClientRefusal } from './record-client-refusal.ts';

type TryCredentialDeps = DepsOf<typeof findClient | typeof recordClientRefusal> & {
  readonly tokenClient: Pick<TokenClient, 'clientCredentials'>;
  readonly runtime: Pick<ConnectorRuntime, 'testCredential'>;
  readonly vendorPermits: Pick<AccountPermits, 'run'>;
  readonly clock: Clock;
};

/** A credential that the vendor accepts, with tokens granted for it; or the vendor's refusal, for people. */
export type TrialResult = { readonly credential: NewCredential } | { readonly refusal: string };

/** The owner of the attempt, and its permit. */
interface Trial extends MethodInUse {
  readonly permit: PermitCall;
}

interface MethodInUse {
  readonly head: ConnectorHead;
  readonly method: AuthenticationMethod;
}

const TEST_TIMEOUT_MS = 20_000;

/**
 * Asks the vendor whether a credential works before it is stored. Stores nothing. RATE_LIMIT_EXCEEDED if too many other calls are running;
 * then the vendor was not asked.
 */
export async function tryCredential(
  deps: TryCredentialDeps,
  ctx: RequestContext,
  { head, method, permit }: Trial,
  credential: NewCredential,
): Promise<TrialResult> {
  const accountId = accountOf(ctx);
  return await deps.vendorPermits.run(permit, async () => {
    const { authProviderId } = credential;
    const used = await findClient(deps, ctx, {
      accountId,
      applicationSlug: head.slug,
      method,
      authProviderId,
    });
    if (!isAtItsAddress(credential, used))
      return { refusal: 'the auth provider was changed meanwhile; try again' };
    const granted = await grant(deps, ctx, { head, method }, credential, used);
    if ('refusal' in granted) return granted;
    const { tokens } = granted;
    const secretFields = new Secret(credential.fields.secret);
    const opened = withProviderFields(
      callCredential(1, credential.fields.plain, { secretFields, tokens }),
      used,
    );
    const options = { accountId, signal: ctx.signal, timeoutMs: TEST_TIMEOUT_MS };
    const check = await deps.runtime.testCredential(head, method, opened, options);
    if (check.isSuccess) return { credential: { ...credential, tokens } };
    if (check.isOverloaded) throw overloaded(check.errorMessage);
    return { refusal: vendorText(check.errorMessage, opened.secrets) };
  });
}

/** The tokens of a client-credentials method; null for a method without tokens. */
async function grant(
  deps: TryCredentialDeps,
  ctx: RequestContext,
  { head, method }: MethodInUse,
  { fields }: NewCredential,
  used: MethodClient | undefined,
): Promise<{ readonly tokens: Tokens | null } | { readonly refusal: string }> {
  const { scheme } = method;
  if (scheme.type !== 'oauth2') return { tokens: null };
  const accountId = accountOf(ctx);
  const field = { ...fields.plain, ...fields.secret, ...used?.fields };
  const schemeWithScopes = withScopesOf(scheme, used);
  const client = oauthClientIn(schemeWithScopes, field);
  if (client === undefined) return { refusal: 'there is no OAuth client for this method' };
  const secrets = [
    ...Object.values(fields.secret).filter((value) => typeof value === 'string'),
    ...(used?.secrets ?? []),
  ];
  const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(TEST_TIMEOUT_MS)]);
  const request = () =>
    deps.tokenClient
      .clientCredentials(schemeWithScopes, { accountId, client, values: { field }, signal })
      .catch((error: unknown) => {
        throw unattendedRefusal(error, schemeWithScopes, used);
      });
  try {
    const granted =
      used === undefined
        ? await request()
        : await recordClientRefusal(deps, ctx, { accountId, client: used, server: null, secrets }, request);
    const { values, faults } = captureTokenResponse({ head, method }, granted.raw);
    if (faults.length > 0) return { refusal: vendorText(faults.join('; '), secrets) };
    return { tokens: keptTokens(granted, null, deps.clock.now(), mergeValues(NO_VALUES, values)) };
  } catch (error) {
    if (!(error instanceof TokenError)) throw error;
    return { refusal: vendorText(error.message, secrets) };
  }
}
