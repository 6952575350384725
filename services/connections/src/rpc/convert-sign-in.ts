import type { MessageInitShape } from '@bufbuild/protobuf';
import type { SignInClientSchema } from '@fairlead/contracts/catalog/v1/application_service_pb';
import type {
  CompletedSignInSchema,
  GetSignInResponseSchema,
  StartSignInRequest,
} from '@fairlead/contracts/connections/v1/sign_in_service_pb';
import { objectOfMembers } from '@fairlead/service-kit/json/json-members';
import { jsonBytes } from '@fairlead/service-kit/json/lazy-json';
import type { CompletedSignIn } from '../domain/sign-in.ts';
import type { SignInClient } from '../ports/catalog.ts';
import type { StartSignInCommand } from '../use-cases/start-sign-in.ts';
import { fromProviderChoice } from './convert-connection.ts';

/** The sign-in to start; absent fields mean none. */
export function fromStartRequest(request: StartSignInRequest): StartSignInCommand {
  const { applicationSlug, authenticationId, connectionId } = request;
  const provider = fromProviderChoice(request.provider);
  return {
    applicationSlug,
    authenticationId,
    provider,
    fields: objectOfMembers(request.fieldsJson, 'fields'),
    ...(connectionId !== undefined && { connectionId }),
  };
}

/** Empty while the sign-in is pending. */
export function toSignInResponse(
  signIn: CompletedSignIn | undefined,
): MessageInitShape<typeof GetSignInResponseSchema> {
  return signIn === undefined ? {} : { completed: toCompletedSignIn(signIn) };
}

/** The result of an authorised sign-in, without secrets. */
export function toCompletedSignIn(signIn: CompletedSignIn): MessageInitShape<typeof CompletedSignInSchema> {
  const { suggestedName, grantedScopes, fieldOptions } = signIn.outcome;
  return {
    applicationSlug: signIn.applicationSlug,
    authenticationId: signIn.authenticationId,
    authProviderId: signIn.authProviderId,
    suggestedName,
    grantedScopes: [...grantedScopes],
    fieldOptionsJson: jsonBytes(fieldOptions),
  };
}

/** Encodes a method with its client. */
export function toSignInClient({
  heldSlots,
  ...same
}: SignInClient): MessageInitShape<typeof SignInClientSchema> {
  return { ...same, ...(heldSlots !== undefined && { held: { slots: [...heldSlots] } }) };
}
