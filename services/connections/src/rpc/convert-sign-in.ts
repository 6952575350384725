import type { MessageInitShape } from '@bufbuild/protobuf';
import type {
  BeginSignInResponseSchema,
  CompletedSignInSchema,
  CompleteSignInRequest,
  DescribeSignInResponseSchema,
  GetSignInResponseSchema,
  StartSignInRequest,
} from '@fairlead/contracts/connections/v1/sign_in_service_pb';
import { Secret } from '@fairlead/service-kit/secret';
import type { CompletedSignIn, SignInHead } from '../domain/sign-in.ts';
import type { BegunSignIn } from '../use-cases/begin-sign-in.ts';
import type { CompleteSignInCommand } from '../use-cases/complete-sign-in.ts';
import type { StartSignInCommand } from '../use-cases/start-sign-in.ts';
import { fromProviderChoice } from './convert-connection.ts';

/** The sign-in to start; absent fields are none. */
export function fromStartRequest(request: StartSignInRequest): StartSignInCommand {
  const { applicationSlug, authenticationId } = request;
  const provider = fromProviderChoice(request.provider);
  return { applicationSlug, authenticationId, provider, fields: request.fields ?? {} };
}

/** The callback as the gateway received it. */
export function fromCompleteRequest(request: CompleteSignInRequest): CompleteSignInCommand {
  return {
    state: request.state,
    browserBinding: new Secret(request.browserBinding),
    callbackQuery: new Secret(request.callbackQuery),
    callbackSegment: request.callbackSegment,
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
  return signIn === undefined ? {} : { completed: toCompletedSignIn(signIn) };
}

/** What an authorised sign-in obtained; no secret. */
export function toCompletedSignIn(signIn: CompletedSignIn): MessageInitShape<typeof CompletedSignInSchema> {
  const { suggestedName, grantedScopes, fieldOptions } = signIn.outcome;
  return {
    applicationSlug: signIn.applicationSlug,
    authenticationId: signIn.authenticationId,
    authProviderId: signIn.authProviderId,
    suggestedName,
    grantedScopes: [...grantedScopes],
    fieldOptions,
  };
}
