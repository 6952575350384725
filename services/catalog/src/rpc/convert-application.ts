import { create } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { requiresOAuthSignIn } from '@fairlead/connector-model/model';
import { APPLICATION_KINDS } from '@fairlead/connector-model/enumerations';
import type { AuthenticationMethod as MethodModel, ConnectorHead } from '@fairlead/connector-model/model';
import type { ApplicationKind as KindModel } from '@fairlead/connector-model/enumerations';
import { slotsOf } from '@fairlead/connector-model/provider-slots';
import { toFieldMessage } from '@fairlead/connector-model/field-message';
import { KIND_VALUES, MATURITY_VALUES, nameOfValue } from '@fairlead/connector-model/proto-enums';
import { ApplicationSchema, AuthenticationMethodSchema } from '@fairlead/contracts/catalog/v1/application_pb';
import type {
  Application,
  ApplicationKind,
  AuthenticationMethod,
} from '@fairlead/contracts/catalog/v1/application_pb';
import type {
  ListApplicationsRequest,
  SignInClient,
} from '@fairlead/contracts/catalog/v1/application_service_pb';
import type { AuthProviderSourceSchema } from '@fairlead/contracts/catalog/v1/application_service_pb';
import { ApiError } from '@fairlead/errors/api-error';
import { readPage } from '@fairlead/service-kit/page';
import type {
  ApplicationView,
  CataloguedApplication,
  SignInClient as SignInClientModel,
} from '../domain/application.ts';
import type { AuthProviderSource } from '../use-cases/list-auth-provider-sources.ts';
import type { ApplicationQuery } from '../use-cases/list-applications.ts';
import type { PutApplication } from '../use-cases/put-account-application.ts';

/** The displayed parts of an application that its ConnectorHead lacks. */
interface ApplicationExtras
  extends
    Pick<CataloguedApplication, 'createdAt' | 'updatedAt'>,
    Pick<ApplicationView, 'isAvailable' | 'score'> {
  readonly toolCount: number;
  readonly triggerTypeCount: number;
}

/** Decodes the list request; VALIDATION_ERROR or INVALID_ENUM_VALUE naming the field. */
export function fromListApplicationsRequest(request: ListApplicationsRequest): ApplicationQuery {
  return {
    kinds: request.kinds.map(fromKind),
    kind: request.kind === undefined ? undefined : fromKind(request.kind),
    available: request.available,
    omitConnectionless: request.omitConnectionless,
    search: request.search,
    signInClients: fromSignInClients(request.signInClients),
    page: readPage(request.page),
  };
}

/** Decodes the methods for which there is an OAuth client. */
export function fromSignInClients(clients: readonly SignInClient[]): readonly SignInClientModel[] {
  return clients.map(({ applicationSlug, authenticationId, isOwn, held }) => ({
    applicationSlug,
    authenticationId,
    isOwn,
    heldSlots: held?.slots,
  }));
}

function fromKind(kind: ApplicationKind): KindModel {
  const name = nameOfValue(KIND_VALUES, kind);
  if (name !== undefined) return name;
  const issue = `must be one of ${APPLICATION_KINDS.join(', ')}`;
  throw new ApiError('INVALID_ENUM_VALUE', `kind ${issue}.`, { details: [{ field: 'kind', issue }] });
}

/** Encodes an application for a list: without its authentication methods. */
export function toApplication({ application, isAvailable, score }: ApplicationView): Application {
  const { connector, toolCount, createdAt, updatedAt } = application;
  const counts = { toolCount, triggerTypeCount: connector.triggerTypes.length };
  return toMessage(connector, { ...counts, createdAt, updatedAt, isAvailable, score });
}

/** Encodes an application in detail: with its authentication methods. */
export function toApplicationDetail(view: ApplicationView): Application {
  return withMethods(toApplication(view), view.application.connector);
}

/** Encodes an application of an account, which has no trigger types, in detail. */
export function toPutApplication({ head, ...stored }: PutApplication): Application {
  return withMethods(toMessage(head, { ...stored, triggerTypeCount: 0, score: undefined }), head);
}

function toMessage(
  head: ConnectorHead,
  { createdAt, updatedAt, score, ...counts }: ApplicationExtras,
): Application {
  return create(ApplicationSchema, {
    slug: head.slug,
    name: head.name,
    description: head.description,
    categories: [...head.categories],
    kind: KIND_VALUES[head.kind],
    isMcpEnabled: head.isMcpEnabled,
    supportsObjectSelection: head.supportsObjectSelection,
    maturity: MATURITY_VALUES[head.maturity],
    ...counts,
    createdAt: timestampFromDate(createdAt),
    updatedAt: timestampFromDate(updatedAt),
    ...(head.logoUrl === null ? {} : { logoUrl: head.logoUrl }),
    ...(score === undefined ? {} : { score }),
  });
}

function withMethods(application: Application, { authenticationMethods }: ConnectorHead): Application {
  return { ...application, authenticationMethods: authenticationMethods.map(toMethod) };
}

function toMethod(method: MethodModel): AuthenticationMethod {
  return create(AuthenticationMethodSchema, {
    authenticationId: method.authenticationId,
    authenticationName: method.authenticationName,
    requiresOauthSignIn: requiresOAuthSignIn(method),
    isDefault: method.isDefault,
    // Leaves out fields whose values come from the vendor: nobody enters them.
    fields: method.fields.filter(({ capturedFrom }) => capturedFrom === null).map(toFieldMessage),
  });
}

/** An application with the methods that take auth providers, and their slots. */
export function toAuthProviderSource({
  methods,
  ...application
}: AuthProviderSource): MessageInitShape<typeof AuthProviderSourceSchema> {
  return {
    ...application,
    methods: methods.map((method) => ({
      authenticationId: method.authenticationId,
      authenticationName: method.authenticationName,
      slots: slotsOf(method).map(({ slot, label, isSecret, isRequired }) => ({
        slot,
        label,
        isSecret,
        isRequired,
      })),
    })),
  };
}
