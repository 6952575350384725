import type { AuthenticationMethod, FieldDescriptor } from '@fairlead/connector-model/model';
import { requiresOAuthSignIn } from '@fairlead/connector-model/model';
import { needsAuthProvider } from '@fairlead/connector-model/provider-slots';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { MethodClient } from '../domain/oauth-client.ts';
import { OWN_CLIENT_ID, withScopesOf } from '../domain/oauth-client.ts';
import { chooseClient } from './choose-client.ts';
import type { SessionApplication } from './find-session-application.ts';

/** A usable method. */
export interface UsableMethod {
  readonly method: AuthenticationMethod;
  /** The fields that the person enters. */
  readonly fields: readonly FieldDescriptor[];
  /** The scopes that a sign-in requests. */
  readonly scopes: readonly string[];
}

/** The usable methods of an offered application: sign-ins first, then the default one. */
export async function listSessionMethods(
  deps: DepsOf<typeof chooseClient>,
  opener: RequestContext,
  { head, renews, provider }: SessionApplication,
): Promise<readonly UsableMethod[]> {
  const methods = head.authenticationMethods.filter(
    ({ authenticationId }) => renews === undefined || authenticationId === renews.authenticationId,
  );
  const offered = await Promise.all(
    methods.map(async (method) => {
      // The server of a connection to renew is not asked again; it has its own client.
      if (head.kind === 'MCPClient') return [{ method, fields: [], scopes: [] }];
      const target = { applicationSlug: head.slug, method };
      const isOAuth = method.scheme.type === 'oauth2';
      return offerOf(method, isOAuth ? await chooseClient(deps, opener, target, provider) : undefined);
    }),
  );
  return offered.flat().toSorted((one, other) => rankOf(one) - rankOf(other));
}

/** Sign-ins first: people have an account at the vendor, but would have to find a key. */
function rankOf({ method }: UsableMethod): number {
  if (requiresOAuthSignIn(method)) return method.isDefault ? 0 : 1;
  return method.isDefault ? 2 : 3;
}

function offerOf(method: AuthenticationMethod, client: MethodClient | undefined): readonly UsableMethod[] {
  const { scheme } = method;
  const clientFields = client?.fields ?? {};
  // Omits values that the vendor sends; nobody enters them.
  const prompts = method.fields.filter(
    ({ name, capturedFrom }) => capturedFrom === null && !Object.hasOwn(clientFields, name),
  );
  if (scheme.type === 'oauth2' && requiresOAuthSignIn(method)) {
    if (client === undefined) return [];
    if (client.authProviderId === OWN_CLIENT_ID && needsAuthProvider(method)) return [];
    const fields = prompts.filter(({ atSignIn }) => atSignIn);
    return [{ method, fields, scopes: withScopesOf(scheme, client).scopes }];
  }
  return [{ method, fields: prompts, scopes: [] }];
}
