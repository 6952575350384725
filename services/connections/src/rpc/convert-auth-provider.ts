import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { AuthProviderSchema } from '@fairlead/contracts/connections/v1/auth_provider_pb';
import type {
  CreateAuthProviderRequest,
  ListUsableAuthProvidersRequest,
  UpdateAuthProviderRequest,
  UsableAuthProviderSchema,
} from '@fairlead/contracts/connections/v1/auth_provider_service_pb';
import { readPage } from '@fairlead/service-kit/page';
import type { Page } from '@fairlead/service-kit/page';
import type { AuthProvider, AuthProviderWithSlots } from '../domain/auth-provider.ts';
import type { CreateAuthProviderCommand } from '../use-cases/create-auth-provider.ts';
import type { UpdateAuthProviderCommand } from '../use-cases/update-auth-provider.ts';

/** The provider to create; absent scopes: the method's scopes. */
export function fromCreateRequest(request: CreateAuthProviderRequest): CreateAuthProviderCommand {
  const { name, applicationSlug, authenticationId, isDefault, isEnabled, values, scopes } = request;
  return {
    name,
    applicationSlug,
    authenticationId,
    isDefault,
    isEnabled,
    values,
    scopes: scopes === undefined ? null : scopes.scopes,
  };
}

/** The members to change. */
export function fromUpdateRequest(request: UpdateAuthProviderRequest): UpdateAuthProviderCommand {
  const { id, name, isDefault, isEnabled, values, scopeChange } = request;
  return {
    id,
    values,
    ...(name !== undefined && { name }),
    ...(isDefault !== undefined && { isDefault }),
    ...(isEnabled !== undefined && { isEnabled }),
    ...(scopeChange.case === 'scopes' && { scopes: scopeChange.value.scopes }),
    ...(scopeChange.case === 'useMethodScopes' && { scopes: null }),
  };
}

/** The page and the application; undefined means all. */
export function fromUsableRequest({
  page,
  applicationSlug,
}: ListUsableAuthProvidersRequest): Page & { readonly applicationSlug: string | undefined } {
  return { ...readPage(page), applicationSlug };
}

export function toAuthProvider(provider: AuthProviderWithSlots): MessageInitShape<typeof AuthProviderSchema> {
  const { scopes, lastError } = provider;
  return {
    ...identityOf(provider),
    isEnabled: provider.isEnabled,
    values: provider.slots.map(({ value, ...slot }) => ({ ...slot, ...(value !== null && { value }) })),
    ...(scopes !== null && { scopes: { scopes: [...scopes] } }),
    ...(lastError !== null && { lastError }),
    createdAt: timestampFromDate(provider.createdAt),
    updatedAt: timestampFromDate(provider.updatedAt),
  };
}

/** Encodes an auth provider without values. */
export function toUsableAuthProvider(
  provider: AuthProvider,
): MessageInitShape<typeof UsableAuthProviderSchema> {
  return identityOf(provider);
}

function identityOf({ id, name, applicationSlug, authenticationId, isDefault }: AuthProvider) {
  return { id, name, applicationSlug, authenticationId, isDefault };
}
