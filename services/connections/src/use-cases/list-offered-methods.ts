import type { AuthenticationMethod, FieldDescriptor } from '@fairlead/connector-model/model';
import { requiresOAuthSignIn } from '@fairlead/connector-model/model';
import { needsAuthProvider } from '@fairlead/connector-model/provider-slots';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { MethodClient } from '../domain/oauth-client.ts';
import { OWN_CLIENT_ID, withScopesOf } from '../domain/oauth-client.ts';
import { chooseClient } from './choose-client.ts';
import type { OfferedApplication } from './find-offered-application.ts';

/** A way to connect that works now. */
export interface OfferedMethod {
  readonly method: AuthenticationMethod;
  /** The fields that the person fills in. */
  readonly fields: readonly FieldDescriptor[];
  /** The scopes that a sign-in requests. */
  readonly scopes: readonly string[];
}

/** The methods of an offered application that work now: sign-ins first, then the default one. */
export async function listOfferedMethods(
  deps: DepsOf<typeof chooseClient>,
  opener: RequestContext,
  { head, renews, provider }: OfferedApplication,
): Promise<readonly OfferedMethod[]> {
  const methods = head.authenticationMethods.filter(
    ({ authenticationId }) => renews === undefined || authenticationId === renews.authenticationId,
  );
  const offered = await Promise.all(
    methods.map(async (method) => {
      // The server that a connection leads to is not asked again, and has its own client.
      if (head.kind === 'MCPClient') return [{ method, fields: [], scopes: [] }];
      const target = { applicationSlug: head.slug, method };
      const isOAuth = method.scheme.type === 'oauth2';
      return offerOf(method, isOAuth ? await chooseClient(deps, opener, target, provider) : undefined);
    }),
  );
  return offered.flat().toSorted((one, other) => rankOf(one) - rankOf(other));
}

/** People have an account at the vendor; a key they would have to find first. */
function rankOf({ method }: OfferedMethod): number {
  if (requiresOAuthSignIn(method)) return method.isDefault ? 0 : 1;
  return method.isDefault ? 2 : 3;
}

function offerOf(method: AuthenticationMethod, client: MethodClient | undefined): readonly OfferedMethod[] {
  const { scheme } = method;
  const held = client?.fields ?? {};
  // What the vendor sends is no input of anybody.
  const asked = method.fields.filter(
    ({ name, capturedFrom }) => capturedFrom === null && !Object.hasOwn(held, name),
  );
  if (scheme.type === 'oauth2' && requiresOAuthSignIn(method)) {
    if (client === undefined) return [];
    if (client.authProviderId === OWN_CLIENT_ID && needsAuthProvider(method)) return [];
    const fields = asked.filter(({ atSignIn }) => atSignIn);
    return [{ method, fields, scopes: withScopesOf(scheme, client).scopes }];
  }
  return [{ method, fields: asked, scopes: [] }];
}
