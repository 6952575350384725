import type { MessageInitShape } from '@bufbuild/protobuf';
import type {
  GetSignInResponseSchema,
  StartSignInRequest,
} from '@fairlead/contracts/connections/v1/sign_in_service_pb';
import type { ProviderChoice } from '../domain/client-choice.ts';
import type { CompletedSignIn } from '../domain/sign-in.ts';
import type { MethodKey } from '../use-cases/own-clients.ts';
import { fromProviderChoice } from './convert-connection.ts';

/** The method to sign in with, and whose OAuth client is meant. */
export function fromStartRequest(
  request: StartSignInRequest,
): MethodKey & { readonly provider: ProviderChoice } {
  const { applicationSlug, authenticationId } = request;
  return { applicationSlug, authenticationId, provider: fromProviderChoice(request.provider) };
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
