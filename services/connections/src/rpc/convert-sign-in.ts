import type { MessageInitShape } from '@bufbuild/protobuf';
import type {
  BeginSignInResponseSchema,
  CompleteSignInRequest,
  DescribeSignInResponseSchema,
  GetSignInResponseSchema,
  StartSignInRequest,
} from '@fairlead/contracts/connections/v1/sign_in_service_pb';
import { Secret } from '@fairlead/service-kit/secret';
import type { ProviderChoice } from '../domain/oauth-client.ts';
import type { CompletedSignIn, SignInHead } from '../domain/sign-in.ts';
import type { MethodKey } from '../ports/own-clients.ts';
import type { BegunSignIn } from '../use-cases/begin-sign-in.ts';
import type { CompleteSignInCommand } from '../use-cases/complete-sign-in.ts';
import { fromProviderChoice } from './convert-connection.ts';

/** The method to sign in with, and whose OAuth client is meant. */
export function fromStartRequest(
  request: StartSignInRequest,
): MethodKey & { readonly provider: ProviderChoice } {
  const { applicationSlug, authenticationId } = request;
  return { applicationSlug, authenticationId, provider: fromProviderChoice(request.provider) };
}

/** The callback as the gateway received it. */
export function fromCompleteRequest(request: CompleteSignInRequest): CompleteSignInCommand {
  return {
    state: request.state,
    browserBinding: new Secret(request.browserBinding),
    callbackQuery: new Secret(request.callbackQuery),
  };
}

/** What the person is asked. Neither the authorize address nor a secret is part of it. */
export function toDescribeResponse(
  signIn: SignInHead,
): MessageInitShape<typeof DescribeSignInResponseSchema> {
  const { accountId, userId, applicationName, scopes, authorizeUrl } = signIn;
  const vendorOrigin = new URL(authorizeUrl).origin;
  return { accountId, userId, applicationName, scopes: [...scopes], vendorOrigin };
}

/** The address that the browser opens next, and the binding that only this browser may hold. */
export function toBeginResponse(begun: BegunSignIn): MessageInitShape<typeof BeginSignInResponseSchema> {
  return { authorizeUrl: begun.authorizeUrl, browserBinding: begun.browserBinding.reveal() };
}

/** Empty while the sign-in is pending. */
export function toSignInResponse(
  signIn: CompletedSignIn | undefined,
): MessageInitShape<typeof GetSignInResponseSchema> {
  if (signIn === undefined) return {};
  const { suggestedName, grantedScopes, fieldOptions } = signIn.outcome;
  return {
    completed: {
      applicationSlug: signIn.applicationSlug,
      authenticationId: signIn.authenticationId,
      authProviderId: signIn.authProviderId,
      suggestedName,
      grantedScopes: [...grantedScopes],
      fieldOptions,
    },
  };
}
